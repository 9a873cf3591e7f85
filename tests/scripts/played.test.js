import assert from 'node:assert/strict';
import {test} from 'node:test';
import {follow} from '../../ui/widgets/played.js';

const CHOICES = ['0', '100', '200'];

// A slider as Vega makes it, with the place for its number; how often it has said that it moved is in `events`.
function made() {
    const slider = Object.assign(new EventTarget(), {value: 0, events: 0, nextElementSibling: {textContent: '0'}});
    slider.addEventListener('input', () => slider.events++);
    return slider;
}

test('a slider that is new goes to where the page stands, and shows the choice', () => {
    const slider = made();
    follow(slider, {at: 2, choices: CHOICES});
    assert.deepEqual([slider.value, slider.events, slider.nextElementSibling.textContent], [2, 1, '200']);
});

test('what the page only repeats moves nothing: the visitor may be farther by now', () => {
    const slider = made();
    follow(slider, {at: 1, choices: CHOICES});
    slider.value = 2;
    follow(slider, {at: 1, choices: CHOICES});
    assert.deepEqual([slider.value, slider.events], [2, 1]);
    follow(slider, {at: 0, choices: CHOICES});
    assert.deepEqual([slider.value, slider.events], [0, 2]);
});
