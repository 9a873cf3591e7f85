import assert from 'node:assert/strict';
import {test} from 'node:test';
import {isPlayed, later, link, speedOf, valueAt} from '../../ui/frame/player.js';

// A slider under a picture, with the words beside it; how often it has said that it moved is in `events`.
class Slider extends EventTarget {
    constructor(words, value) {
        super();
        Object.assign(this, {value, shown: value, step: '1', events: 0});
        this.box = {querySelector: () => ({textContent: words})};
        this.addEventListener('input', () => this.events++);
    }

    closest() {
        return this.box;
    }
}

test('the slowest speed is taken that goes through all steps in 16 seconds', () => {
    assert.equal(speedOf(32), 2);
    assert.equal(speedOf(33), 8);
    assert.equal(speedOf(2048), 128);
    assert.equal(speedOf(100_000), 128);
});

test('a slider goes on by its speed, to its end and no farther', () => {
    assert.equal(later(10, 100, {speed: 8, step: 2, max: 50}), 11.6);
    assert.equal(later(49.9, 100, {speed: 8, step: 2, max: 50}), 50);
});

test('a window that was not drawn for a minute goes on from where it was', () => {
    assert.equal(later(0, 60_000, {speed: 8, step: 1, max: 50}), 2);
});

test('a slider shows the step that it has come to, counted from its beginning', () => {
    const steps = {flows: false, min: 3, step: 4};
    assert.deepEqual(
        [3, 6.99, 7, 10].map(at => valueAt(at, steps)),
        [3, 3, 7, 7],
    );
    assert.equal(valueAt(0.3, {flows: false, min: 0, step: 0.1}).toFixed(1), '0.3');
});

test('a slider whose values between two steps mean something shows them', () => {
    assert.equal(valueAt(6.987, {flows: true, min: 3, step: 4}), '6.99');
});

test('what stands for a control of the page is not played, unless it plays that control', () => {
    const names = {pointed: 'pointed_at', ofPage: 'of_page_', played: 'of_page_played_'};
    assert.ok(isPlayed('position', names));
    assert.ok(isPlayed('of_page_played_step', names));
    assert.ok(!isPlayed('of_page_step', names));
    assert.ok(!isPlayed('pointed_at', names));
});

test('sliders of the same words go where the one went that has moved, and others stay', () => {
    const [one, same, other] = [new Slider('Position ', '4'), new Slider(' Position', '4'), new Slider('Base', '4')];
    one.value = '9';
    link([one, same, other]);
    assert.deepEqual([one.value, same.value, other.value], ['9', '9', '4']);
    assert.deepEqual([one.events, same.events, other.events], [0, 1, 0]);
    link([one, same, other]);
    assert.deepEqual([one.events, same.events, other.events], [0, 1, 0]);
});

test('a slider that plays keeps its own place', () => {
    const [one, playing] = [new Slider('Position', '4'), new Slider('Position', '6')];
    playing.step = 'any';
    one.value = '9';
    link([one, playing]);
    assert.deepEqual([playing.value, playing.events], ['6', 0]);
});
