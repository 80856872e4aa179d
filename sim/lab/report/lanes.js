'use strict';
/*
 * The spans of a timeline in a form that is quick to draw: for each CPU three
 * rows (who has it, its system calls, its costs) as arrays of numbers, and the
 * listeners' queues, marks and messages that belong to it.
 *
 * Spans narrower than a few pixels are added up for each pixel and drawn as
 * shares of its height: nothing is hidden by what is drawn later, and hundreds
 * of thousands of spans stay fluid.
 */
(() => {
const NARROW = 3; /* pixels */
const HUES = 12;
const WHO = ['netisr', 'intr', 'ithread', 'user'];
const CALLS = [['accept', /accept/], ['receive', /recv|read/],
	['send', /send|write/], ['close', /close|shutdown/],
	['wait', /kevent|poll|select/], ['other', /^/]];

const finite = (x) => Number.isFinite(x) ? x : 0;

/* First of n things of which after(i) is true; they are in order. */
function search(n, after) {
	let low = 0, high = n;

	while (low < high) {
		const mid = (low + high) >> 1;

		if (after(mid))
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* Spans of one sort, in order; they do not overlap. */
class Row {
	constructor(spans, names, end) {
		this.n = spans.length;
		this.names = names;
		this.start = Float64Array.from(spans, (s) => finite(s[0]));
		this.end = Float64Array.from(spans, (s) => finite(end(s)));
		this.what = Uint16Array.from(spans, (s) => s[2]);
		this.own = names.length > 0 && spans.some((s) => s[3]) ?
		    spans.map((s) => s[3]) : null;
	}

	/* The first that ends after t. */
	first(t) {
		return search(this.n, (i) => this.end[i] > t);
	}

	/* The one that holds t, or -1. */
	at(t) {
		const i = this.first(t);

		return i < this.n && this.start[i] <= t ? i : -1;
	}

	/* fn(i, ns) for those in a window, with their time in it. */
	within(from, to, fn) {
		for (let i = this.first(from); i < this.n &&
		    this.start[i] < to; i++)
			fn(i, Math.min(to, this.end[i]) -
			    Math.max(from, this.start[i]));
	}

	kind(i) {
		return this.names[this.what[i]] || '?';
	}

	name(i) {
		return this.own && this.own[i] || this.kind(i);
	}
}

let sums = new Float32Array(0), tops = new Float32Array(0);

/*
 * Add up narrow spans: shares of each pixel by slot. Returns: the wide ones.
 * view: {from, to, scale, columns}; slots: by what it is, -1: not drawn.
 */
function addUp(row, view, slots, k) {
	const { from, to, scale, columns } = view;
	const wide = [];

	for (let i = row.first(from); i < row.n && row.start[i] < to; i++) {
		const slot = slots[row.what[i]];

		if (!(slot >= 0))
			continue;
		const x1 = Math.min(columns, (row.end[i] - from) * scale);
		let x = Math.max(0, (row.start[i] - from) * scale);

		if (x1 - x >= NARROW) {
			wide.push(i);
			continue;
		}
		for (let p = Math.floor(x); x < x1; p++) {
			const next = Math.min(p + 1, x1);

			sums[p * k + slot] += next - x;
			x = next;
		}
	}
	return wide;
}

function clear(columns, k) {
	if (sums.length < (columns + 1) * k)
		sums = new Float32Array((columns + 1) * k);
	else
		sums.fill(0, 0, (columns + 1) * k);
	if (tops.length < columns)
		tops = new Float32Array(columns);
	else
		tops.fill(0);
}

/* The sums, stacked from the bottom; `most`: that fills the height. */
function stack(ctx, place, columns, colours, most) {
	const { x, y, height } = place, k = colours.length;

	for (let slot = 0; slot < k; slot++) {
		ctx.fillStyle = colours[slot];
		for (let p = 0; p < columns; p++) {
			const high = height * sums[p * k + slot] / most;

			if (high < 0.05)
				continue;
			ctx.fillRect(x + p, y + height - tops[p] - high, 1, high);
			tops[p] += high;
		}
	}
}

/* paint: {slots, colours}. wide(i, x0, x1) is told of what has a place. */
function paintRow(ctx, row, view, place, paint, wide) {
	const { slots, colours } = paint, { columns, from, scale } = view;

	clear(columns, colours.length);
	const list = addUp(row, view, slots, colours.length);

	stack(ctx, place, columns, colours, 1);
	for (const i of list) {
		const x0 = Math.max(0, (row.start[i] - from) * scale);
		const x1 = Math.min(columns, (row.end[i] - from) * scale);

		ctx.fillStyle = colours[slots[row.what[i]]];
		ctx.fillRect(place.x + x0, place.y, x1 - x0 -
		    (x1 - x0 > 6 ? 0.7 : 0), place.height);
		wide(i, place.x + x0, place.x + x1);
	}
}

function highest(columns, k) {
	let most = 0;

	for (let p = 0; p < columns; p++) {
		let sum = 0;

		for (let slot = 0; slot < k; slot++)
			sum += sums[p * k + slot];
		most = Math.max(most, sum);
	}
	return Math.max(1e-3, most);
}

/* One row of many, as high as their highest. */
function paintSum(ctx, rows, view, place, paint) {
	const narrow = { ...view };

	clear(view.columns, paint.colours.length);
	for (const row of rows) {
		const k = paint.colours.length;

		for (const i of addUp(row, narrow, paint.slots, k)) {
			const x1 = Math.min(view.columns,
			    (row.end[i] - view.from) * view.scale);
			let x = Math.max(0,
			    (row.start[i] - view.from) * view.scale);

			for (let p = Math.floor(x); x < x1; p++) {
				const next = Math.min(p + 1, x1);

				sums[p * k + paint.slots[row.what[i]]] += next - x;
				x = next;
			}
		}
	}
	stack(ctx, place, view.columns, paint.colours,
	    highest(view.columns, paint.colours.length));
}

function callMeaning(name) {
	return CALLS.find(([, re]) => re.test(name))[0];
}

function costColour(i) {
	const hue = (i * 5 % HUES) * 360 / HUES;

	return solab.isDark() ? `hsl(${hue} 30% 58%)` : `hsl(${hue} 36% 66%)`;
}

/* Which colour what has; what does not fit the search is faint. */
function paints(timeline, fits) {
	const faint = solab.meaning('faint');
	const make = (names, order, of, colour) => ({
		slots: names.map((name, i) => of(name, i) < 0 ? -1 :
		    fits(name) ? of(name, i) : order.length),
		colours: [...order.map(colour), faint],
	});
	const calls = CALLS.map(([name]) => name);
	const hues = [...Array(HUES).keys()];

	return {
		threads: make(timeline.kinds, WHO, (name) =>
		    WHO.indexOf(name), solab.meaning),
		calls: make(timeline.syscalls, calls, (name) =>
		    calls.indexOf(callMeaning(name)), solab.meaning),
		costs: make(timeline.costs, hues, (name, i) => i % HUES,
		    costColour),
	};
}

/*
 * Runs of accept() with nothing answered between them, three or more. A call that
 * was interrupted is several spans, so the marks are counted.
 */
function batches(lane) {
	const row = lane.rows.calls, found = [];
	const times = lane.marks.filter((m) => m[3] === 'accept')
	    .map((m) => m[0]).sort((a, b) => a - b);
	let run = null;
	const end = () => {
		if (!run)
			return;
		run.n = search(times.length, (i) => times[i] > run.to) -
		    search(times.length, (i) => times[i] >= run.from);
		if (run.n >= 3)
			found.push(run);
		run = null;
	};
	let name = null, told = -1;

	for (let i = 0; i < row.n; i++) {
		if (row.what[i] !== told) {
			told = row.what[i];
			name = callMeaning(row.names[told] || '');
		}
		if (name === 'accept') {
			run = run || { from: row.start[i] };
			run.to = row.end[i];
		} else if (name !== 'other' && name !== 'wait') {
			end();
		}
	}
	end();
	return found;
}

/* Whose queue a counter is, as the point's results say. */
function queueOf(counter, point) {
	const [, machine, index] = /^\S+ (.*) #(\d+)$/.exec(counter.name) || [];
	const known = ((point || {}).listeners || []).find((l) =>
	    l[0] === machine && l[1] === Number(index));

	return { counter, machine, index: Number(index),
		cpu: known ? known[2] : Number(index),
		limit: known ? known[5] : null,
		most: Math.max(0, ...counter.points.map((p) => p[1])) };
}

/* Lanes of the CPUs that a trace holds, the servers' first. */
function lanes(timeline, point) {
	const used = timeline.cpus.map((cpu, index) => ({
		machine: cpu.machine, cpu: cpu.cpu, peer: Boolean(cpu.peer), index,
		name: `${cpu.machine}.${cpu.cpu}`,
		rows: {
			threads: new Row(cpu.threads || [], timeline.kinds,
			    (s) => s[1]),
			calls: new Row(cpu.calls || [], timeline.syscalls,
			    (s) => s[1]),
			costs: new Row(cpu.costs || [], timeline.costs,
			    (s) => s[0] + s[1]),
		},
		queues: [], marks: [], inbox: [], outbox: [], batches: [],
	}));
	/* A CPU without anything is one that was not traced. */
	const list = used.filter((l) => l.rows.costs.n + l.rows.calls.n > 0);

	for (const counter of timeline.counters || []) {
		const queue = queueOf(counter, point);
		const lane = list.find((l) => l.machine === queue.machine &&
		    l.cpu === queue.cpu);

		if (lane)
			lane.queues.push(queue);
	}
	for (const mark of timeline.marks || [])
		if (used[mark[1]])
			used[mark[1]].marks.push(mark);
	for (const message of timeline.messages || []) {
		if (used[message[3]])
			used[message[3]].inbox.push(message);
		if (used[message[1]])
			used[message[1]].outbox.push(message);
	}
	for (const lane of list) {
		lane.inbox.sort((a, b) => a[2] - b[2]);
		lane.batches = batches(lane);
	}
	return [...list.filter((l) => !l.peer), ...list.filter((l) => l.peer)];
}

solab.lanes = { lanes, paints, paintRow, paintSum, callMeaning, costColour,
	search, CALLS };
})();
