'use strict';
/*
 * What each CPU does in a window of time: who has it, its system calls, its
 * costs, and the completion queue that waits for it. Here is what is said of it
 * and how one moves in it; view.js draws.
 */
(() => {
const { data, h, exact } = solab;
const { lanes, search, callMeaning, CALLS } = solab.lanes;

if (!data.timelines || data.timelines.length === 0)
	return;

const ROWS = ['threads', 'calls', 'costs'];
const TITLES = { threads: 'who', calls: 'system call', costs: 'cost' };

/* What is under the pointer, in words; and which span it is. */

function queueAt({ counter, limit }, t) {
	const i = search(counter.points.length, (n) =>
	    counter.points[n][0] > t) - 1;

	return i < 0 ? null : `${counter.name}: ${counter.points[i][1]}` +
	    (limit === null ? '' : `, limit ${limit}`);
}

/* The message that is handled: the last one taken, or what the CPU woke up for. */
function handled(view, lane, t, from, to) {
	const { inbox } = lane;
	const after = search(inbox.length, (n) => inbox[n][2] > t);
	const message = [inbox[after - 1], inbox[after]].find((m) => m &&
	    m[2] >= from && m[2] < to);

	if (!message)
		return null;
	const [sent, by, taken, , name] = message;
	const sender = view.t.cpus[by];

	return `message${name ? ` for ${name}` : ''} from ` +
	    (sender ? `${sender.machine}.${sender.cpu}` : '?') +
	    `, sent ${solab.time(taken - sent)} before it was taken`;
}

/* More spans than can be told apart: shares of a pixel's time. */
function crowd(view, lane, t) {
	const w = 1.5 / view.scale, sums = new Map();

	for (const name of ['threads', 'calls']) {
		const row = lane.rows[name];

		row.within(t - w, t + w, (i, ns) => {
			if (row.kind(i) !== 'idle')
				sums.set(row.name(i),
				    (sums.get(row.name(i)) || 0) + ns);
		});
	}
	return [...sums].sort((a, b) => b[1] - a[1]).slice(0, 5)
	    .map(([name, ns]) => `${name} ${(50 * ns / w).toFixed(0)} %`)
	    .join(', ');
}

function describe(view, lane, t) {
	const lines = [`${lane.name} at ${exact(t)}`];
	const hovered = { lane, t, from: t, to: t };

	for (const name of ROWS) {
		const row = lane.rows[name], i = row.at(t);

		if (i < 0)
			continue;
		const from = row.start[i], to = row.end[i];

		if (name !== 'costs')
			Object.assign(hovered, { from, to });
		lines.push(`${row.name(i)}${name === 'calls' ? '()' : ''}: ` +
		    `${solab.time(to - from)}, ${exact(from)} to ${exact(to)}`);
		if (name === 'threads' && row.kind(i) !== 'user')
			lines.push(handled(view, lane, t, from, to));
	}
	if ((hovered.to - hovered.from) * view.scale < 2)
		lines.push(`around it: ${crowd(view, lane, t)}`);
	const run = lane.batches.find((b) => b.from <= t && t < b.to);

	if (run)
		lines.push(`${run.n} accepts in a row, ` +
		    `${solab.time(run.to - run.from)} without an answer`);
	lines.push(...lane.queues.map((queue) => queueAt(queue, t)));
	lines.push(...lane.marks.filter((m) =>
	    Math.abs(m[0] - t) * view.scale < 4).slice(0, 4)
	    .map((m) => `${exact(m[0])}: ${m[2]}`));
	hovered.lines = lines.filter(Boolean);
	return hovered;
}

/* Shares of the visible window, of the CPUs that are shown. */

function shares(view) {
	const found = new Map();
	const all = view.shown.length * (view.to - view.from);

	for (const lane of view.shown)
		for (const name of ROWS) {
			const row = lane.rows[name];

			row.within(view.from, view.to, (i, ns) => {
				const key = `${name} ${row.kind(i)}`;
				const sum = found.get(key) || { sort: name,
					what: row.kind(i), n: 0, ns: 0, most: 0 };

				sum.n++;
				sum.ns += ns;
				sum.most = Math.max(sum.most,
				    row.end[i] - row.start[i]);
				found.set(key, sum);
			});
		}
	return { all, list: [...found.values()].sort((a, b) =>
	    ROWS.indexOf(a.sort) - ROWS.indexOf(b.sort) || b.ns - a.ns) };
}

function longest(view) {
	let most = null;

	for (const lane of view.shown)
		for (const run of lane.batches)
			if (run.to > view.from && run.from < view.to &&
			    (!most || run.n > most.n))
				most = { ...run, lane };
	return most;
}

function words(view) {
	const { all, list } = shares(view);
	const say = (sort) => list.filter((s) => s.sort === sort &&
	    s.ns > all / 2000).slice(0, 7)
	    .map((s) => `${s.what} ${solab.percent(100 * s.ns / all)}`)
	    .join(', ') || 'nothing';
	const run = longest(view);
	const lost = view.shown.reduce((n, lane) => n + lane.marks.filter((m) =>
	    m[3] === 'drop' && m[0] >= view.from && m[0] < view.to).length, 0);

	return `${view.shown.length} CPUs, ${exact(view.from)} to ` +
	    `${exact(view.to)} after ${(view.t.from_ns / 1e9).toFixed(6)} s. ` +
	    `Who has them: ${say('threads')}. In system calls: ` +
	    `${say('calls')}.` +
	    (run ? ` Longest run of accepts: ${run.n} on ${run.lane.name}, ` +
	    `${solab.time(run.to - run.from)} without an answer.` : '') +
	    (lost > 0 ? ` Dropped: ${lost}.` : '');
}

function tableOf(view) {
	const { all, list } = shares(view);

	return { header: ['', 'what', 'spans', 'ns', '% of time', 'mean ns',
		'longest ns'],
	rows: list.map((s) => [TITLES[s.sort], s.what, s.n, s.ns,
		100 * s.ns / all, s.ns / s.n, s.most]) };
}

/* All that is visible: spans, marks and lengths of queues. */
function csvOf(view) {
	const rows = [], { from_ns } = view.t;

	for (const { machine, cpu, ...lane } of view.shown) {
		const add = (sort, from, to, what) => rows.push([machine, cpu,
			sort, from_ns + from, from_ns + to, what]);

		for (const name of ROWS)
			lane.rows[name].within(view.from, view.to, (i) =>
			    add(name, lane.rows[name].start[i],
				lane.rows[name].end[i], lane.rows[name].name(i)));
		for (const [t, , text] of lane.marks)
			if (t >= view.from && t < view.to)
				add('mark', t, t, text);
		for (const { counter: { name, points } } of lane.queues)
			points.forEach(([t, length], i) => {
				const end = i + 1 < points.length ?
				    points[i + 1][0] : view.length;

				if (end > view.from && t < view.to)
					add(name, t, end, length);
			});
	}
	return { name: 'timeline', header: ['machine', 'cpu', 'row',
		'from_ns', 'to_ns', 'what'], rows };
}

/* The pointer: a drag zooms, with Shift or on the map it moves. */

function under(view, e) {
	const box = view.layers.base.getBoundingClientRect();
	const x = e.clientX - box.left, y = e.clientY - box.top;
	const at = view.drawn.find((d) => y >= d.y - 7 && y <= d.bottom);

	return { lane: at && at.lane, t: view.time(x), x };
}

function hover(view, e) {
	const { lane, t, x } = under(view, e);

	view.hovered = lane && x >= view.left ? describe(view, lane, t) : null;
	view.overlay();
	solab.tip(e, ...(view.hovered ? view.hovered.lines : []));
}

function drop(view, e) {
	const { drag } = view;

	view.drag = null;
	if (!drag)
		return;
	view.hovered = null;
	solab.tip(e);
	if (!drag.move && Math.abs(drag.b - drag.a) * view.scale > 4)
		view.look(Math.min(drag.a, drag.b), Math.max(drag.a, drag.b));
	else
		view.overlay();
}

function pointer(view, div) {
	const { stack } = view.layers;

	stack.addEventListener('pointerdown', (e) => {
		const { lane, t, x } = under(view, e);

		if (e.button !== 0)
			return;
		div.focus({ preventScroll: true });
		if (x < view.left) {
			if (lane)
				turn(view, lane.index);
			return;
		}
		stack.setPointerCapture(e.pointerId);
		view.drag = { a: t, b: t, at: e.clientX, from: view.from,
			to: view.to,
			move: e.shiftKey || e.pointerType === 'touch' };
	});
	stack.addEventListener('pointermove', (e) => {
		const { drag } = view;

		if (!drag) {
			hover(view, e);
		} else if (drag.move) {
			const by = (drag.at - e.clientX) / view.scale;

			view.look(drag.from + by, drag.to + by);
		} else {
			drag.b = Math.max(view.from, Math.min(view.to,
			    under(view, e).t));
			solab.tip(e, solab.time(Math.abs(drag.b - drag.a)));
			view.overlay();
		}
	});
	stack.addEventListener('pointerup', (e) => {
		drop(view, e);
		if (e.pointerType === 'touch')
			hover(view, e);
	});
	stack.addEventListener('pointercancel', () => {
		view.drag = null;
	});
	stack.addEventListener('pointerleave', (e) => {
		view.hovered = null;
		view.overlay();
		solab.tip(e);
	});
	stack.addEventListener('dblclick', (e) => {
		if (under(view, e).x < view.left)
			return;
		view.home();
		view.later();
	});
}

/* Without the focus the wheel scrolls the page, as it should. */
function wheel(view, div) {
	div.addEventListener('wheel', (e) => {
		if (document.activeElement !== div && !e.ctrlKey)
			return;
		e.preventDefault();
		if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
			view.move((e.deltaX || e.deltaY) / 1000);
		else
			view.zoom(e.deltaY > 0 ? 1.25 : 0.8, under(view, e).t);
	}, { passive: false });
}

function mapPointer(view) {
	const { map } = view.layers;
	const go = (e) => {
		const x = e.clientX - map.getBoundingClientRect().left;
		const t = (x - view.left) / (view.width - view.left) * view.length;
		const half = (view.to - view.from) / 2;

		view.look(t - half, t + half);
	};

	map.addEventListener('pointerdown', (e) => {
		map.setPointerCapture(e.pointerId);
		go(e);
	});
	map.addEventListener('pointermove', (e) => {
		if (map.hasPointerCapture(e.pointerId))
			go(e);
	});
}

function turn(view, index) {
	if (!view.turned.delete(index))
		view.turned.add(index);
	view.later();
}

/* Up and down choose a CPU; Enter makes its lane taller or lower. */
function pick(view, by) {
	const list = view.shown;
	const at = list.findIndex((l) => l.index === view.picked);
	const lane = list[Math.max(0, Math.min(list.length - 1, at + by))];

	if (!lane)
		return;
	view.picked = lane.index;
	view.hovered = describe(view, lane, (view.from + view.to) / 2);
	view.said.textContent = view.hovered.lines.join('; ');
	view.overlay();
}

function keys(view, div) {
	div.addEventListener('keydown', (e) => {
		const act = { ArrowLeft: () => view.move(-0.15),
			ArrowRight: () => view.move(0.15),
			ArrowUp: () => pick(view, -1),
			ArrowDown: () => pick(view, 1),
			Enter: () => view.picked !== undefined &&
			    turn(view, view.picked),
			'+': () => view.zoom(0.6), '=': () => view.zoom(0.6),
			'-': () => view.zoom(1 / 0.6),
			'0': () => {
				view.home();
				view.later();
			} }[e.key];

		if (!act || e.ctrlKey || e.metaKey || e.altKey ||
		    e.target !== div)
			return;
		act();
		e.preventDefault();
	});
}

/* To the next one that fits, around to the first; on the first CPU that has it. */
function next(view) {
	const middle = (view.from + view.to) / 2;
	let best = null;

	if (view.find === '')
		return;
	for (const lane of view.shown)
		for (const row of [lane.rows.calls, lane.rows.costs]) {
			const wanted = row.names.map((name) => view.fits(name));

			for (let i = 0; i < row.n; i++) {
				const t = (row.start[i] + row.end[i]) / 2;
				const way = t > middle + 0.5 ? t - middle :
				    t + 2 * view.length;

				if (wanted[row.what[i]] && (!best || way < best.way))
					best = { way, t, lane, ns: row.end[i] -
					    row.start[i] };
			}
		}
	if (!best)
		return;
	const half = Math.max((view.to - view.from) / 2, best.ns);

	view.picked = best.lane.index;
	view.look(best.t - half, best.t + half);
}

function legend(timeline, view) {
	const used = timeline.syscalls.filter((name, what) =>
	    view.shown.some((l) => l.rows.calls.what.includes(what)));
	const calls = (meaning) => used.filter((name) =>
	    callMeaning(name) === meaning).map((name) => `${name}()`)
	    .join(', ');
	const marks = new Set(view.shown.flatMap((l) =>
	    l.marks.map((m) => m[3])));
	const has = (kind) => view.shown.some((l) => {
		const { what } = l.rows.threads;

		return what.includes(timeline.kinds.indexOf(kind));
	});
	const item = (name, meaning) => ({ name,
		colour: solab.meaning(meaning) });

	return [
		has('user') && item('process', 'user'),
		has('netisr') && item('protocol thread', 'netisr'),
		has('intr') && item('interrupt', 'intr'),
		has('ithread') && item('interrupt thread', 'ithread'),
		...CALLS.filter(([name]) => calls(name) !== '')
		    .map(([name]) => item(calls(name), name)),
		(marks.has('drop') || marks.has('reset')) &&
		    item('▾ dropped or reset', 'drop'),
		marks.has('token') && { name: 'waited for a token',
			colour: solab.css('--c4') },
		view.shown.some((l) => l.queues.length > 0) &&
		    { name: 'completion queue', colour: solab.css('--counted') },
	].filter(Boolean);
}

function tools(div, view) {
	const find = h('input', { type: 'search', placeholder: 'call or cost',
		'aria-label': 'highlight a call or a cost; Enter: the next one' });
	const home = () => {
		view.home();
		view.later();
	};

	find.addEventListener('input', () => {
		view.find = find.value.trim();
		view.later();
	});
	find.addEventListener('keydown', (e) => {
		if (e.key === 'Enter')
			next(view);
	});
	div.toolbar.prepend(find,
	    view.all.some((l) => l.peer) && view.all.some((l) => !l.peer) ?
		solab.check('clients', false, (on) => {
			view.peers = on;
			view.relabel();
		}) : '',
	    view.canBeMore ?
		solab.check('all CPUs', false, (on) => {
			view.every = on;
			view.relabel();
		}) : '',
	    view.all.some((l) => l.batches.length > 0) ?
		solab.button('longest accept run', () => {
			view.home();
			const run = longest(view), w = run.to - run.from;

			view.picked = run.lane.index;
			view.look(run.from - w / 4, run.to + w / 2);
		}, 'zoom to the most accepts without an answer') : '',
	    solab.button('+', () => view.zoom(0.5), 'zoom in'),
	    solab.button('−', () => view.zoom(2), 'zoom out'),
	    solab.button('reset', home, 'the whole window'));
}

function layersIn(div) {
	const layers = { map: h('div', { class: 'map' }),
		frame: h('div', { class: 'frame' }), base: h('div'),
		over: h('div', { class: 'over' }) };

	layers.stack = h('div', { class: 'stack' }, layers.base, layers.over);
	layers.map.append(layers.frame);
	div.append(layers.map, layers.stack);
	return layers;
}

function notes(div, timeline, list) {
	const all = timeline.cpus.filter((c) => !c.peer).length;
	const here = list.filter((l) => !l.peer).length;
	const say = (kind, text) => div.after(h('p', { class: kind, text }));

	if (timeline.cut > 0)
		say('warn', `${solab.number(timeline.cut)} records did not fit: ` +
		    'the window ends early.');
	if (timeline.cut_messages > 0)
		say('note', `${solab.number(timeline.cut_messages)} later ` +
		    'messages have no arrows.');
	if (here < all)
		say('note', `${here} of ${all} CPUs were traced: see solab ` +
		    'report --cpus; solab run --trace F.json has all.');
}

function show(body, timeline, n) {
	const list = lanes(timeline, solab.point(timeline.point));
	const div = solab.panel(body, { id: `timeline-${n}`,
		title: timeline.label || 'CPUs',
		note: 'Each CPU: who has it; its system calls and, zoomed in, what ' +
		    'they cost; its completion queue. What is narrower than a ' +
		    'pixel is a share of its height. Line under a lane: accepts ' +
		    'in a row, while no request is answered. Drag zooms, Shift ' +
		    'and drag moves; after a click the wheel and + − 0 ← → ' +
		    'too. A click on a name makes a lane taller.',
		csv: () => csvOf(view) });

	if (list.length === 0) {
		div.append(h('p', { class: 'note',
			text: 'Nothing happened in this window.' }));
		return;
	}
	const view = new solab.View(timeline, list, layersIn(div));
	const key = h('div');
	let timer = 0;

	view.words = h('p', { class: 'note', 'aria-live': 'polite' });
	view.said = h('p', { class: 'spoken', 'aria-live': 'polite' });
	div.classList.add('timeline');
	div.tabIndex = 0;
	div.view = view;
	div.before(key);
	div.after(view.words, view.said);
	const table = solab.asTable(div, () => tableOf(view), view.said);

	/* After the last move: sums over a window take a moment. */
	view.changed = () => {
		clearTimeout(timer);
		timer = setTimeout(() => {
			view.words.textContent = words(view);
			table.update();
		}, 120);
	};
	view.relabel = () => {
		solab.key(key, legend(timeline, view));
		view.draw();
	};
	notes(table, timeline, list);
	tools(div, view);
	pointer(view, div);
	mapPointer(view);
	wheel(view, div);
	keys(view, div);
	solab.redraw(div, view.relabel);
}

solab.section('timeline', 'CPU timeline', (body) =>
	data.timelines.forEach((timeline, n) => show(body, timeline, n)));
})();
