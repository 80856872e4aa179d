'use strict';
/*
 * What each CPU does in a window of time: who has it, its system calls, its
 * costs, and the completion queue that waits for it.
 *
 * Spans narrower than a pixel are added up for each pixel, and what took most of
 * it is drawn: so nothing is hidden by what is drawn later, and a hundred
 * thousand spans stay fluid.
 */
(() => {
const { data, h } = solab;

if (!data.timelines || data.timelines.length === 0)
	return;

const KINDS = { idle: null, user: '--c1', netisr: '--c0', intr: '--c6',
	ithread: '--c6' };
const CALLS = [[/accept/, '--c3'], [/recv|read/, '--c2'],
	[/send|write/, '--c5'], [/kevent|poll|select/, '--c8'],
	[/close|shutdown/, '--c4']];
const OTHER = '--c7';
const LEFT = 96, TOP = 22, WHO = 9, CALL = 13, COST = 8, QUEUE = 18, GAP = 9;
const FEW = 6; /* CPUs that are shown at first */

function callColour(name) {
	return (CALLS.find(([re]) => re.test(name)) || [null, OTHER])[1];
}

/* Colours of costs tell neighbours apart, no more. */
function costColour(i) {
	return `hsl(${(i * 47) % 360} 32% ${solab.isDark() ? 55 : 60}%)`;
}

/* First index whose end is after t, of spans in order. */
function first(spans, end, t) {
	let low = 0, high = spans.length;

	while (low < high) {
		const mid = (low + high) >> 1;

		if (end(spans[mid]) > t)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

const ROWS = {
	threads: { end: (s) => s[1], what: (t, s) => t.kinds[s[2]] },
	calls: { end: (s) => s[1], what: (t, s) => t.syscalls[s[2]] },
	costs: { end: (s) => s[0] + s[1], what: (t, s) => t.costs[s[2]] },
};

/* Whether the trace holds this CPU. */
function traced(cpu) {
	return cpu.costs.length + cpu.calls.length > 0;
}

class View {
	constructor(timeline, div) {
		this.t = timeline;
		this.div = div;
		this.all = false;
		this.peers = false;
		this.find = '';
		this.home();
	}

	home() {
		this.from = 0;
		this.to = this.t.to_ns - this.t.from_ns;
	}

	get lanes() {
		const seen = this.t.cpus.map((c, i) => ({ ...c, index: i }))
		    .filter(traced);
		const servers = seen.filter((c) => !c.peer);
		const peers = seen.filter((c) => c.peer);

		return [...(this.all ? servers : servers.slice(0, FEW)),
			...(this.peers ? peers : [])];
	}

	/* Keep it inside, and no shorter than ten ns. */
	look(from, to) {
		const end = this.t.to_ns - this.t.from_ns;
		const w = Math.max(10, Math.min(end, to - from));

		this.from = Math.max(0, Math.min(end - w, from));
		this.to = this.from + w;
		this.draw();
	}

	zoom(factor, at = (this.from + this.to) / 2) {
		const w = (this.to - this.from) * factor;
		const part = (at - this.from) / (this.to - this.from);

		this.look(at - w * part, at + w * (1 - part));
	}

	move(part) {
		const by = (this.to - this.from) * part;

		this.look(this.from + by, this.to + by);
	}

	x(t) {
		return LEFT + (t - this.from) * this.scale;
	}

	time(x) {
		return this.from + (x - LEFT) / this.scale;
	}

	fits(name) {
		return this.find === '' ||
		    name.toLowerCase().includes(this.find.toLowerCase());
	}

	row(lane, name, y, height, colour) {
		const { end, what } = ROWS[name], spans = lane[name] || [];
		const { ctx } = this;
		let pixel = -1, sums = new Map();
		const flush = () => {
			let most = null;

			for (const [c, ns] of sums)
				if (most === null || ns > sums.get(most))
					most = c;
			if (most) {
				ctx.fillStyle = most;
				ctx.fillRect(pixel, y, 1, height);
			}
			sums = new Map();
		};

		for (let i = first(spans, end, this.from); i < spans.length &&
		    spans[i][0] < this.to; i++) {
			const a = Math.max(this.from, spans[i][0]);
			const b = Math.min(this.to, end(spans[i]));
			const c = colour(spans[i], what(this.t, spans[i]));
			const x0 = this.x(a), x1 = this.x(b);

			if (!c)
				continue;
			if (x1 - x0 >= 1.5) {
				ctx.fillStyle = c;
				ctx.fillRect(x0, y, x1 - x0 -
				    (x1 - x0 > 4 ? 0.6 : 0), height);
				this.label(what(this.t, spans[i]), x0, x1, y,
				    height);
				continue;
			}
			if (Math.floor(x0) !== pixel) {
				flush();
				pixel = Math.floor(x0);
			}
			sums.set(c, (sums.get(c) || 0) + b - a);
		}
		flush();
	}

	label(text, x0, x1, y, height) {
		if (height < 12 || x1 - x0 < 26)
			return;
		this.ctx.fillStyle = solab.css('--bg');
		this.ctx.textAlign = 'left';
		this.ctx.font = `10px ${solab.css('--font')}`;
		if (this.ctx.measureText(text).width < x1 - x0 - 4)
			this.ctx.fillText(text, x0 + 2, y + height / 2 + 0.5);
		this.ctx.font = `12px ${solab.css('--font')}`;
	}

	queue(lane) {
		const of = `#${lane.cpu}`;

		return this.t.counters.find((c) => c.cpu === lane.index ||
		    c.name.startsWith('so_qlen') && c.name.endsWith(of) &&
		    c.name.includes(lane.machine));
	}

	drawQueue(counter, y) {
		const { ctx } = this;
		const most = Math.max(1, ...counter.points.map((p) => p[1]));
		const up = (v) => y + QUEUE - QUEUE * v / most;
		let value = null;

		ctx.strokeStyle = solab.css('--counted');
		ctx.lineWidth = 1.2;
		ctx.beginPath();
		for (const [t, v] of counter.points) {
			if (t > this.to)
				break;
			if (t < this.from) {
				value = v;
				continue;
			}
			if (value === null)
				ctx.moveTo(this.x(t), up(v));
			else
				ctx.lineTo(this.x(t), up(value));
			ctx.lineTo(this.x(t), up(v));
			value = v;
		}
		if (value !== null)
			ctx.lineTo(this.x(this.to), up(value));
		ctx.stroke();
		ctx.fillStyle = solab.css('--muted');
		ctx.textAlign = 'right';
		ctx.fillText(`so_qlen ≤ ${most}`, LEFT - 6, y + QUEUE / 2);
	}

	axis(height) {
		const { ctx } = this;
		const span = this.to - this.from;
		const rough = span / Math.max(2, (this.width - LEFT) / 110);
		const base = 10 ** Math.floor(Math.log10(rough));
		const step = [1, 2, 5, 10].map((m) => m * base)
		    .find((s) => s >= rough);

		ctx.textAlign = 'center';
		for (let t = Math.ceil(this.from / step) * step; t <= this.to;
		    t += step) {
			ctx.fillStyle = solab.css('--grid');
			ctx.fillRect(this.x(t), TOP - 4, 1, height - TOP);
			ctx.fillStyle = solab.css('--muted');
			ctx.fillText(`+${solab.time(t)}`, this.x(t), 9);
		}
	}

	draw() {
		const lanes = this.lanes.map((lane) =>
		    ({ ...lane, counter: this.queue(lane) }));
		const height = lanes.reduce((sum, lane) => sum + WHO + CALL + COST +
		    GAP + (lane.counter ? QUEUE + 3 : 0), TOP + 4);
		const { ctx, width } = solab.canvas(this.div, height);
		let y = TOP;

		this.ctx = ctx;
		this.width = width;
		this.scale = (width - LEFT) / (this.to - this.from);
		this.drawn = [];
		ctx.textBaseline = 'middle';
		this.axis(height);
		for (const lane of lanes) {
			ctx.fillStyle = solab.css('--fg');
			ctx.textAlign = 'right';
			ctx.fillText(`${lane.machine}.${lane.cpu}`, LEFT - 6,
			    y + WHO + CALL / 2, LEFT - 8);
			this.row(lane, 'threads', y, WHO, (s, kind) =>
			    KINDS[kind] ? solab.css(KINDS[kind]) : null);
			this.row(lane, 'calls', y + WHO + 1, CALL, (s, name) =>
			    this.fits(name) ? solab.css(callColour(name)) :
			    solab.css('--grid'));
			this.row(lane, 'costs', y + WHO + CALL + 2, COST,
			    (s, name) => this.fits(name) ? costColour(s[2]) :
			    solab.css('--grid'));
			this.drawn.push({ lane, y, h: WHO + CALL + COST + 2 });
			y += WHO + CALL + COST + 3;
			if (lane.counter) {
				this.drawQueue(lane.counter, y + 1);
				y += QUEUE + 3;
			}
			y += GAP - 3;
		}
		this.marks();
		this.arrows();
		this.tell();
	}

	marks() {
		const near = this.t.marks.filter(([t, cpu, , kind]) => t >= this.from &&
		    t <= this.to && (kind === 'drop' || kind === 'refused'));

		this.ctx.fillStyle = solab.css('--bad');
		for (const [t, cpu] of near) {
			const at = this.drawn.find((d) => d.lane.index === cpu);

			if (at)
				this.ctx.fillRect(this.x(t) - 1, at.y - 5, 2, 5);
		}
	}

	/* Messages that the span under the pointer sent or handled. */
	arrows() {
		const place = (cpu) => this.drawn.find((d) => d.lane.index === cpu);
		const { ctx, hovered } = this;

		if (!hovered)
			return;
		ctx.strokeStyle = solab.css('--fg');
		ctx.lineWidth = 1;
		for (const [sent, from, handled, to] of this.t.messages) {
			const a = place(from), b = place(to);
			const inside = (t, cpu) => cpu === hovered.lane.index &&
			    t >= hovered.from && t < hovered.to;

			if (!a || !b || !(inside(sent, from) ||
			    inside(handled, to)))
				continue;
			ctx.beginPath();
			ctx.moveTo(this.x(sent), a.y + a.h / 2);
			ctx.lineTo(this.x(handled), b.y + b.h / 2);
			ctx.stroke();
			ctx.beginPath();
			ctx.arc(this.x(handled), b.y + b.h / 2, 2.5, 0, 7);
			ctx.stroke();
		}
	}

	/* Shares of kinds and calls in the window, in words. */
	tell() {
		const sums = new Map(), calls = new Map();
		let all = 0;

		for (const { lane } of this.drawn) {
			all += this.to - this.from;
			for (const name of ['threads', 'calls']) {
				const { end, what } = ROWS[name];
				const into = name === 'calls' ? calls : sums;
				const spans = lane[name] || [];

				for (let i = first(spans, end, this.from);
				    i < spans.length && spans[i][0] < this.to;
				    i++) {
					const key = what(this.t, spans[i]);

					into.set(key, (into.get(key) || 0) +
					    Math.min(this.to, end(spans[i])) -
					    Math.max(this.from, spans[i][0]));
				}
			}
		}
		const list = (map) => [...map].sort((a, b) => b[1] - a[1])
		    .filter(([, ns]) => ns / all > 0.0005).slice(0, 8)
		    .map(([key, ns]) => `${key} ${solab.percent(100 * ns / all)}`)
		    .join(', ') || 'none';

		this.words.textContent = `${this.drawn.length} CPUs, ` +
		    `${solab.time(this.from)} to ${solab.time(this.to)} after ` +
		    `${(this.t.from_ns / 1e9).toFixed(6)} s. Who: ${list(sums)}. ` +
		    `In system calls: ${list(calls)}.`;
	}

	under(e) {
		const box = this.div.querySelector('canvas').getBoundingClientRect();
		const x = e.clientX - box.left, y = e.clientY - box.top;
		const at = this.drawn.find((d) => y >= d.y - 5 && y < d.y + d.h);

		return { at, y, t: this.time(x), inside: x >= LEFT };
	}

	hover(e) {
		const { at, t, inside } = this.under(e);
		const lines = [];

		this.hovered = null;
		if (at && inside) {
			lines.push(`${at.lane.machine}.${at.lane.cpu} at ` +
			    `+${solab.time(t)}`);
			for (const [name, { end, what }] of Object.entries(ROWS)) {
				const spans = at.lane[name] || [];
				const s = spans[first(spans, end, t)];

				if (!s || s[0] > t)
					continue;
				if (name !== 'costs' || !this.hovered)
					this.hovered = { lane: at.lane, from: s[0],
						to: end(s) };
				lines.push(`${name === 'threads' && s[3] ? s[3] :
				    what(this.t, s)}: ${solab.time(end(s) - s[0])}`);
			}
			for (const [time, , text] of this.t.marks.filter((m) =>
			    m[1] === at.lane.index &&
			    Math.abs(m[0] - t) * this.scale < 4).slice(0, 5))
				lines.push(`+${solab.time(time)}: ${text}`);
		}
		solab.tip(e, ...lines);
		if (this.t.messages.length > 0)
			this.draw();
	}

	csv() {
		const rows = [];

		for (const { lane } of this.drawn)
			for (const [name, { end, what }] of Object.entries(ROWS)) {
				const spans = lane[name] || [];

				for (let i = first(spans, end, this.from);
				    i < spans.length && spans[i][0] < this.to;
				    i++)
					rows.push([lane.machine, lane.cpu, name,
						this.t.from_ns + spans[i][0],
						this.t.from_ns + end(spans[i]),
						name === 'threads' &&
						spans[i][3] ||
						what(this.t, spans[i])]);
			}
		return { name: 'timeline', header: ['machine', 'cpu', 'row',
			'from_ns', 'to_ns', 'what'], rows };
	}
}

function pointer(view, place) {
	let drag = null;

	place.addEventListener('pointerdown', (e) => {
		drag = { x: e.clientX, from: view.from, to: view.to };
		place.setPointerCapture(e.pointerId);
		place.focus();
	});
	place.addEventListener('pointermove', (e) => {
		if (!drag) {
			view.hover(e);
			return;
		}
		const by = (drag.x - e.clientX) / view.scale;

		view.look(drag.from + by, drag.to + by);
	});
	place.addEventListener('pointerup', () => {
		drag = null;
	});
	place.addEventListener('pointerleave', (e) => {
		view.hovered = null;
		solab.tip(e);
	});
	place.addEventListener('dblclick', (e) =>
	    view.zoom(0.4, view.under(e).t));
	/* Without the focus the wheel scrolls the page, as it should. */
	place.addEventListener('wheel', (e) => {
		if (document.activeElement !== place && !e.ctrlKey)
			return;
		e.preventDefault();
		view.zoom(e.deltaY > 0 ? 1.25 : 0.8, view.under(e).t);
	}, { passive: false });
	place.addEventListener('keydown', (e) => {
		const act = { ArrowLeft: () => view.move(-0.15),
			ArrowRight: () => view.move(0.15),
			'+': () => view.zoom(0.6), '=': () => view.zoom(0.6),
			'-': () => view.zoom(1.6),
			'0': () => {
				view.home();
				view.draw();
			} }[e.key];

		if (!act || e.ctrlKey || e.metaKey)
			return;
		act();
		e.preventDefault();
	});
}

function show(body, timeline, n) {
	const div = solab.panel(body, { id: `timeline-${n}`,
		title: timeline.label || 'CPUs',
		note: 'Each CPU: who has it, its system calls, what it pays for; ' +
		    'below, the length of its completion queue. Red ticks: ' +
		    'dropped. Click, then wheel, arrow keys, + and - zoom and ' +
		    'move; 0 resets; drag moves; hover for exact times.',
		csv: () => view.csv() });
	const view = new View(timeline, div);
	const find = h('input', { type: 'search', placeholder: 'call or cost',
		'aria-label': 'highlight a call or a cost' });
	const key = h('div');
	const servers = timeline.cpus.filter((c) => !c.peer && traced(c)).length;

	view.words = h('p', { class: 'note', 'aria-live': 'polite' });
	div.classList.add('timeline');
	div.tabIndex = 0;
	div.before(key);
	div.after(view.words);
	find.addEventListener('input', () => {
		view.find = find.value;
		view.draw();
	});
	div.toolbar.prepend(find,
	    servers > FEW ? solab.check('all CPUs', false, (on) => {
		    view.all = on;
		    view.draw();
	    }) : '',
	    timeline.cpus.some((c) => c.peer && traced(c)) ?
		solab.check('clients', false, (on) => {
			view.peers = on;
			view.draw();
		}) : '',
	    solab.button('+', () => view.zoom(0.5), 'zoom in'),
	    solab.button('−', () => view.zoom(2), 'zoom out'),
	    solab.button('reset', () => {
		    view.home();
		    view.draw();
	    }, 'the whole window'));
	pointer(view, div);
	div.view = view;
	solab.redraw(div, () => {
		const used = timeline.syscalls.filter((name, i) =>
		    timeline.cpus.some((c) => c.calls.some((s) => s[2] === i)));

		solab.key(key, [
			{ name: 'processes', colour: solab.css('--c1') },
			{ name: 'protocol thread', colour: solab.css('--c0') },
			{ name: 'interrupt', colour: solab.css('--c6') },
			...used.map((name) => ({ name: `${name}()`,
				colour: solab.css(callColour(name)) })),
		]);
		view.draw();
	});
	const left = timeline.cpus.filter((c) => !c.peer).length - servers;

	if (timeline.cut > 0)
		div.after(h('p', { class: 'warn', text: `${timeline.cut} records ` +
		    'did not fit: the window ends early.' }));
	if (left > 0)
		div.after(h('p', { class: 'note', text: `The first ${servers} ` +
		    `CPUs; solab run --trace F.json has the other ${left}.` }));
}

solab.section('timeline', 'CPU timeline', (body) =>
	data.timelines.forEach((timeline, n) => show(body, timeline, n)));
})();
