import assert from 'node:assert/strict';
import {test} from 'node:test';
import {isNumber} from '../../ui/lecture/keys.js';

test('a digit from 1 to 9 stands for a lecture', () => {
    for (const key of '123456789') assert.ok(isNumber({key}), key);
    for (const key of ['0', '10', 'a', 'F1', ' ']) assert.ok(!isNumber({key}), key);
});

test('one that is held, or pressed with another key, belongs to the browser', () => {
    for (const held of ['ctrlKey', 'altKey', 'metaKey', 'repeat']) assert.ok(!isNumber({key: '1', [held]: true}), held);
});
