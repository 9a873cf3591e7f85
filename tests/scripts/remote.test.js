import assert from 'node:assert/strict';
import {test} from 'node:test';
import {clock, filled} from '../../ui/lecture/common.js';
import {actionOf, isBare, numbered, placeIn, stepped, withReveal} from '../../ui/lecture/remote.js';

const FREE = {isOwn: false, isOpen: false};
const SCENES = [{reveals: []}, {reveals: ['first', 'second']}, {reveals: []}];
const HERE = 'http://here/rope?base=100&present=45&scene=2';

test('keys lead through a lecture', () => {
    const keys = {
        ArrowRight: 'forward',
        PageDown: 'forward',
        ' ': 'forward',
        ArrowLeft: 'back',
        PageUp: 'back',
        b: 'black',
        B: 'black',
        '.': 'black',
        Escape: 'leave',
        Enter: undefined,
        x: undefined,
    };
    for (const [key, action] of Object.entries(keys)) assert.equal(actionOf(key, FREE), action, key);
});

test('a control with keys of its own keeps them, but for those of a remote control', () => {
    for (const key of ['ArrowRight', 'ArrowLeft', ' ', 'b', '.']) {
        assert.equal(actionOf(key, {isOwn: true, isOpen: false}), undefined, key);
        assert.equal(actionOf(key, {isOwn: false, isOpen: true}), undefined, key);
    }
    assert.equal(actionOf('PageDown', {isOwn: true, isOpen: true}), 'forward');
    assert.equal(actionOf('Escape', {isOwn: true, isOpen: false}), 'leave');
});

test('Escape first closes what is open', () => {
    assert.equal(actionOf('Escape', {isOwn: false, isOpen: true}), undefined);
});

test('a number of an address is a whole one within its range, else 0', () => {
    const said = ['2', '007', '9999', '10000', '-1', '1.5', 'x', '', null, undefined];
    assert.deepEqual(
        said.map(text => numbered(text, 5)),
        [2, 5, 5, 0, 0, 0, 0, 0, 0, 0],
    );
});

test('an address names a scene from 1 and its sentences; what is too high is the last one', () => {
    assert.deepEqual(placeIn('?present=45&scene=2&reveal=1', SCENES), {place: 1, reveal: 1});
    assert.deepEqual(placeIn('?present=45&scene=2&reveal=7', SCENES), {place: 1, reveal: 2});
    assert.deepEqual(placeIn('?scene=99', SCENES), {place: 2, reveal: 0});
    for (const search of ['', '?scene=0', '?scene=x', '?scene=-1']) {
        assert.deepEqual(placeIn(search, SCENES), {place: 0, reveal: 0}, search);
    }
});

test('a step goes through the sentences of a scene, then to the next scene', () => {
    assert.deepEqual(stepped({place: 0, reveal: 0}, 1, SCENES), {place: 1});
    assert.deepEqual(stepped({place: 1, reveal: 0}, 1, SCENES), {reveal: 1});
    assert.deepEqual(stepped({place: 1, reveal: 1}, 1, SCENES), {reveal: 2});
    assert.deepEqual(stepped({place: 1, reveal: 2}, 1, SCENES), {place: 2});
    assert.deepEqual(stepped({place: 1, reveal: 1}, -1, SCENES), {reveal: 0});
    assert.deepEqual(stepped({place: 1, reveal: 0}, -1, SCENES), {place: 0});
});

test('an address says how many sentences are shown, and nothing where none is', () => {
    assert.equal(withReveal(HERE, 2).href, `${HERE}&reveal=2`);
    assert.equal(withReveal(`${HERE}&reveal=2`, 1).href, `${HERE}&reveal=1`);
    assert.equal(withReveal(`${HERE}&reveal=2`, 0).href, HERE);
});

test('an address that names a scene only takes page and state from the link of the scene', () => {
    const bare = (here, link) => isBare(new URL(here), new URL(link));
    assert.ok(bare('http://here/?present=45&scene=2', HERE));
    assert.ok(bare('http://here/rope?present=45&scene=2', HERE));
    assert.ok(bare('http://here/rope?base=7&present=45', HERE));
    assert.ok(!bare('http://here/rope?base=7&present=45&scene=2', HERE));
    assert.ok(!bare('http://here/rope?present=45&scene=2&reveal=1', 'http://here/rope?present=45&scene=2'));
});

test('a clock has minutes and seconds, and begins at 0', () => {
    assert.deepEqual([0, 999, 61_000, 5_400_000, -1].map(clock), ['0:00', '0:00', '1:01', '90:00', '0:00']);
});

test('gaps are filled in their order, whatever is put in', () => {
    assert.equal(filled('# of #', '$&', '2'), '$& of 2');
});
