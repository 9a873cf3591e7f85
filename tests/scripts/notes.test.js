import assert from 'node:assert/strict';
import {test} from 'node:test';
import {timeLine} from '../../ui/lecture/notes.js';

const LECTURE = {
    minutes: 10,
    scenes: [{minutes: 2.5}, {minutes: 3}, {minutes: 4.5}],
    said: {begun: 'not begun', ends: '# of #; this scene ends at #'},
};

test('a scene ends when it and all before it have had their minutes', () => {
    const line = timeLine(LECTURE, {place: 1, start: 1000}, 91_000);
    assert.equal(line, '2 / 3, 1:30 of 10:00; this scene ends at 5:30');
});

test('a lecture that no window presents has not begun', () => {
    const line = timeLine(LECTURE, {place: 0, start: undefined}, 91_000);
    assert.equal(line, '1 / 3, not begun of 10:00; this scene ends at 2:30');
});
