import assert from 'node:assert/strict';
import {test} from 'node:test';
import {deviceOf, isDevice} from '../../ui/poll/ballot.js';

test('sixteen bytes make the name of a device', () => {
    const bytes = Uint8Array.from({length: 16}, (_, place) => place * 17);
    assert.equal(deviceOf(bytes), '00112233445566778899aabbccddeeff');
    assert.ok(isDevice(deviceOf(bytes)));
    assert.ok(isDevice(deviceOf(new Uint8Array(16))));
});

test('what a storage may hold else is no device', () => {
    for (const text of [null, undefined, '', 'f'.repeat(31), 'f'.repeat(33), 'F'.repeat(32)]) {
        assert.ok(!isDevice(text), String(text));
    }
});
