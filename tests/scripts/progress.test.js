import assert from 'node:assert/strict';
import {test} from 'node:test';
import {chaptersIn} from '../../ui/widgets/progress.js';

const COURSE = {longest: 60, chapters: ['why', 'counting', 'rope']};

test('chapters come in the order of the course, each once, and none that there is not', () => {
    assert.deepEqual(chaptersIn('["rope", "why", "rope", "gone"]', COURSE), ['why', 'rope']);
    assert.deepEqual(chaptersIn('[]', COURSE), []);
});

test('a text that is not ours names none', () => {
    for (const text of ['', '{', '"rope"', 'null', '{"rope": 1}', `["rope"${' '.repeat(60)}]`]) {
        assert.deepEqual(chaptersIn(text, COURSE), [], text);
    }
});
