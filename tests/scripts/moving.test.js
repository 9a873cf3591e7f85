import assert from 'node:assert/strict';
import {test} from 'node:test';
import {later, stepAt, valueAt} from '../../ui/moving.js';

test('a picture goes through every value that it was given, and in a straight line between two', () => {
    const values = [0, 10, 4];
    assert.deepEqual(
        [0, 0.25, 0.5, 0.75, 1].map(part => valueAt(values, part)),
        [0, 5, 10, 7, 4],
    );
    assert.equal(valueAt([3], 0.4), 3);
});

test('it ends after its seconds, and goes on where it was after a while in which nothing was drawn', () => {
    assert.equal(later(0.5, 100, 10), 0.51);
    assert.equal(later(0.5, 60000, 10), 0.525);
    assert.equal(later(0.99, 250, 10), 1);
    assert.equal(later(0, -5, 10), 0);
});

test('the step that is named is the last one that was reached', () => {
    assert.deepEqual(
        [0, 0.32, 0.34, 2 / 3, 0.99, 1].map(part => stepAt(part, 4)),
        [0, 0, 1, 2, 2, 3],
    );
    assert.equal(stepAt(7 / 10, 11), 7); // although 0.7 * 10 is a little less than 7
});
