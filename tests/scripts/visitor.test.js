import assert from 'node:assert/strict';
import {test} from 'node:test';
import {keyIn} from '../../ui/frame/visitor.js';

const KEY = '0123456789abcdef'.repeat(2);

test('the key is found among other cookies', () => {
    for (const cookies of [`pe=${KEY}`, `a=b; pe=${KEY}`, `pe=${KEY}; a=b`, `a=b; pe=${KEY}; c=d`]) {
        assert.equal(keyIn(cookies, 'pe'), KEY, cookies);
    }
});

test('what is no key, or the cookie of another name, is not taken', () => {
    for (const cookies of ['', 'pe=', `type=${KEY}`, `pe=${KEY}0`, `pe=${KEY.slice(1)}`, `pe=${KEY.toUpperCase()}`]) {
        assert.equal(keyIn(cookies, 'pe'), undefined, cookies);
    }
});
