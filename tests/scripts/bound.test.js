import assert from 'node:assert/strict';
import {mock, test} from 'node:test';
import watch, {movedOf} from '../../ui/widgets/bound.js';

const NAMES = {flowing: 'flowing_', ofPage: 'of_page_', pointed: 'pointed_at'};

const input = (name, value, more = {}) => ({
    name,
    value,
    type: 'range',
    closest: () => ({className: 'stVerticalBlock st-key-picture_of_waves e1'}),
    ...more,
});
const moved = (all, first, search = new URLSearchParams()) => [movedOf(all, search, first, NAMES), String(search)];

test('a control that has moved is written into the link by its picture and name', () => {
    const [one, still] = [input('flowing_position', '7'), input('base', '3')];
    const first = new Map([
        [one, '0'],
        [still, '3'],
    ]);
    assert.deepEqual(moved([one, still], first), [{waves_position: '7'}, 'waves_position=7']);
});

test('one that comes back to where it began is written too: the link says otherwise', () => {
    const one = input('base', '3');
    const search = new URLSearchParams('waves_base=5');
    assert.deepEqual(moved([one], new Map([[one, '3']]), search), [{waves_base: '3'}, 'waves_base=3']);
});

test('what stands where the link says has not moved', () => {
    const one = input('base', '5');
    assert.deepEqual(moved([one], new Map([[one, '3']]), new URLSearchParams('waves_base=5')), [{}, 'waves_base=5']);
});

test('a box to tick says whether it is ticked', () => {
    const one = input('sum', 'on', {type: 'checkbox', checked: true});
    assert.deepEqual(moved([one], new Map([[one, 'false']])), [{waves_sum: 'true'}, 'waves_sum=true']);
});

test('a picture that was drawn since the pointer went down has not moved, and is known from then on', () => {
    const [one, first] = [input('base', '3'), new Map()];
    assert.deepEqual(moved([one], first), [{}, '']);
    one.value = '4';
    assert.deepEqual(moved([one], first), [{waves_base: '4'}, 'waves_base=4']);
});

test('what is pointed at stays out of the link', () => {
    const one = input('pointed_at', '3');
    assert.deepEqual(moved([one], new Map([[one, '0']])), [{}, '']);
});

test('what is dragged for the page is told under the name of its control, and not written', () => {
    const one = input('of_page_shift', '3');
    const first = new Map([[one, '0']]);
    assert.deepEqual(moved([one], first), [{of_page_shift: '3'}, '']);
    assert.deepEqual(moved([one], first), [{}, '']);
});

test('what is played for the page tells the choice, once', () => {
    const one = input('of_page_played_step', '1', {played: {said: '0', choices: ['10', '20']}});
    const first = new Map([[one, '0']]);
    assert.deepEqual(moved([one], first), [{of_page_played_step: '20'}, '']);
    assert.deepEqual(moved([one], first), [{}, '']);
});

test('whoever drags on at once is not heard in the middle, but when it is let go', () => {
    const told = [];
    const key = input('of_page_key', '9');
    const page = new EventTarget();
    mock.timers.enable({apis: ['setTimeout']});
    try {
        globalThis.location = {href: 'http://here/rope'};
        globalThis.history = {replaceState: () => {}};
        globalThis.document = Object.assign(page, {querySelectorAll: () => [key], querySelector: () => null});
        watch({data: NAMES, setTriggerValue: (_, moved) => told.push(moved)});
        const drag = (what, value) => {
            key.value = value;
            page.dispatchEvent(new Event(what));
        };
        drag('pointerdown', '9');
        drag('pointerup', '4');
        mock.timers.tick(300);
        drag('pointerdown', '4');
        drag('pointermove', '6');
        mock.timers.tick(1000);
        assert.deepEqual(told, []);
        drag('pointerup', '7');
        mock.timers.tick(1000);
        assert.deepEqual(told, [{of_page_key: '7'}]);
    } finally {
        mock.timers.reset();
        for (const name of ['document', 'location', 'history']) delete globalThis[name];
    }
});
