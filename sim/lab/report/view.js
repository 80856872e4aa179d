'use strict';
/* How a timeline is drawn: lanes, the window that is visible, what is hovered. */
(() => {
const { paints, paintRow, paintSum, search } = solab.lanes;
const TOP = 22, GAP = 6, FINE = 150; /* ns a pixel at which costs are seen */
/* Heights of a lane's rows: who has it, calls, its queue. */
const TALL = { who: 9, calls: 27, queue: 22 };
const LOW = { who: 5, calls: 17, queue: 8 };
const FEW = 8;   /* lanes that are tall */
const MOST = 64; /* lanes at first */

/* To the nanosecond. */
function exact(ns) {
	return `${ns < 0 ? '−' : '+'}${solab.digits(Math.abs(ns) / 1000, 3)} µs`;
}

/* What can be read on a colour. */
function ink(colour) {
	const [r, g, b] = (colour.match(/^#(..)(..)(..)$/) || []).slice(1)
	    .map((x) => parseInt(x, 16));

	return r * 0.3 + g * 0.59 + b * 0.11 < 120 ? '#ffffff' : '#101418';
}

class View {
	constructor(timeline, lanes, layers) {
		this.t = timeline;
		this.all = lanes;
		this.layers = layers; /* {map, base, over} */
		this.peers = lanes.every((l) => l.peer);
		this.every = false;
		this.find = '';
		this.turned = new Set();
		this.hovered = null;
		this.changed = () => {};
		this.home();
	}

	get length() {
		return Math.max(1, this.t.to_ns - this.t.from_ns);
	}

	home() {
		this.from = 0;
		this.to = this.length;
	}

	get shown() {
		const list = this.all.filter((l) => !l.peer || this.peers);

		return this.every ? list : list.slice(0, MOST);
	}

	get canBeMore() {
		return this.all.length > MOST;
	}

	isTall(lane) {
		return (this.shown.length <= FEW) !== this.turned.has(lane.index);
	}

	/* Keep it inside, and no shorter than 20 ns. */
	look(from, to) {
		const w = Math.max(20, Math.min(this.length, to - from));

		this.from = Math.max(0, Math.min(this.length - w, from));
		this.to = this.from + w;
		this.later();
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
		return this.left + (t - this.from) * this.scale;
	}

	time(x) {
		return this.from + (x - this.left) / this.scale;
	}

	fits(name) {
		return this.find === '' ||
		    name.toLowerCase().includes(this.find.toLowerCase());
	}

	/* Once a frame, however often it is asked for. */
	later() {
		if (this.waiting)
			return;
		this.waiting = true;
		requestAnimationFrame(() => {
			this.waiting = false;
			this.draw();
		});
	}

	place() {
		let y = TOP;

		this.drawn = this.shown.map((lane) => {
			const size = this.isTall(lane) ? TALL : LOW;
			const at = { lane, y, size, tall: size === TALL,
				h: size.who + 1 + size.calls };

			y += at.h;
			at.queues = lane.queues.map((queue) => {
				const top = y + 3;

				y += 3 + size.queue;
				return { queue, y: top };
			});
			at.bottom = y;
			y += GAP;
			return at;
		});
		return y;
	}

	draw() {
		const height = this.place();
		const { ctx, width } = solab.canvas(this.layers.base, height);

		this.ctx = ctx;
		this.width = width;
		this.height = height;
		this.left = width < 500 ? 62 : 96;
		this.scale = (width - this.left) / (this.to - this.from);
		this.columns = Math.floor(width - this.left);
		this.colours = paints(this.t, (name) => this.fits(name));
		this.costs = 1 / this.scale < FINE || this.find !== '' &&
		    this.t.costs.some((name) => this.fits(name));
		ctx.textBaseline = 'middle';
		this.axis();
		for (const at of this.drawn)
			this.lane(at);
		this.map();
		this.overlay();
		this.changed();
	}

	axis() {
		const { ctx } = this, span = this.to - this.from;
		const rough = span / Math.max(2, (this.width - this.left) / 110);
		const base = 10 ** Math.floor(Math.log10(rough));
		const step = [1, 2, 5, 10].map((m) => m * base)
		    .find((s) => s >= rough);
		const show = step < 1000 ? exact : (t) => `+${solab.time(t)}`;

		ctx.textAlign = 'center';
		for (let t = Math.ceil(this.from / step) * step; t <= this.to;
		    t += step) {
			const text = show(t), x = this.x(t);
			const half = ctx.measureText(text).width / 2;

			ctx.fillStyle = solab.css('--grid');
			ctx.fillRect(x, TOP - 6, 1, this.height - TOP);
			ctx.fillStyle = solab.css('--muted');
			ctx.fillText(text, Math.min(x, this.width - half), 8);
		}
	}

	lane(at) {
		const { ctx, left, colours } = this, { lane, y, size, tall } = at;
		const box = (top, height) => ({ x: left, y: top, height });
		/* Where nothing is called, costs have the room. */
		const none = lane.rows.calls.n === 0;
		const calls = none ? 0 : this.costs ?
		    Math.round(size.calls * 0.55) : size.calls;
		const label = (row, top, height) => (i, x0, x1) =>
		    this.label(row.name(i), x0, x1, top, height);

		ctx.fillStyle = solab.css('--fg');
		ctx.textAlign = 'right';
		ctx.fillText(lane.name, left - 6, y + at.h / 2, left - 8);
		ctx.fillStyle = solab.css('--raised');
		ctx.fillRect(left, y, this.width - left, at.h);
		paintRow(ctx, lane.rows.threads, this, box(y, size.who),
		    colours.threads, label(lane.rows.threads, y, size.who));
		at.calls = { y: y + size.who + 1, h: calls };
		paintRow(ctx, lane.rows.calls, this, box(at.calls.y, calls),
		    colours.calls, label(lane.rows.calls, at.calls.y, calls));
		if (this.costs || none) {
			const top = at.calls.y + (none ? 0 : calls + 1);
			const height = at.y + at.h - top;

			paintRow(ctx, lane.rows.costs, this, box(top, height),
			    colours.costs, label(lane.rows.costs, top, height));
		}
		this.runs(at);
		for (const { queue, y: top } of at.queues)
			this.queue(queue, top, size.queue, tall);
		this.marks(at);
	}

	label(text, x0, x1, y, height) {
		const { ctx } = this;

		if (height < 9 || x1 - x0 < 24)
			return;
		ctx.font = `10px ${solab.css('--font')}`;
		if (ctx.measureText(text).width < x1 - x0 - 4) {
			ctx.textAlign = 'left';
			/* The span was drawn just now. */
			ctx.fillStyle = ink(ctx.fillStyle);
			ctx.fillText(text, x0 + 3, y + height / 2 + 0.5);
		}
		ctx.font = `12px ${solab.css('--font')}`;
	}

	/* A line under each run of accepts, with their number. */
	runs({ lane, y, h }) {
		const { ctx } = this;

		for (const run of lane.batches) {
			const x0 = Math.max(this.left, this.x(run.from));
			const x1 = Math.min(this.width, this.x(run.to));

			if (x1 <= x0)
				continue;
			ctx.fillStyle = solab.meaning('accept');
			ctx.fillRect(x0, y + h, Math.max(1, x1 - x0), 2);
		}
	}

	/* How long it is, against the longest of the machine's. */
	queue({ counter, machine, limit }, y, height, tall) {
		const { ctx } = this, { points } = counter;
		const most = Math.max(1, ...this.all.filter((l) =>
		    l.machine === machine).flatMap((l) =>
		    l.queues.map((q) => q.most)));
		const up = (v) => y + height - (height - 1) * v / most;
		const from = Math.max(0, search(points.length, (n) =>
		    points[n][0] > this.from) - 1);
		const steps = [];

		for (let i = from; i < points.length && points[i][0] < this.to; i++) {
			const next = i + 1 < points.length ?
			    Math.min(this.to, points[i + 1][0]) : this.to;

			steps.push([Math.max(this.left, this.x(points[i][0])),
				this.x(next), up(points[i][1])]);
		}
		ctx.fillStyle = solab.css('--counted');
		ctx.strokeStyle = solab.css('--counted');
		ctx.lineWidth = 1.2;
		ctx.globalAlpha = 0.25;
		for (const [x0, x1, top] of steps)
			ctx.fillRect(x0, top, x1 - x0, y + height - top);
		ctx.globalAlpha = 1;
		ctx.beginPath();
		steps.forEach(([x0, x1, top], i) => {
			ctx[i === 0 ? 'moveTo' : 'lineTo'](x0, top);
			ctx.lineTo(x1, top);
		});
		ctx.stroke();
		if (limit !== null && limit <= most) {
			ctx.fillStyle = solab.css('--muted');
			ctx.fillRect(this.left, up(limit), this.width - this.left,
			    0.5);
		}
		if (tall) {
			ctx.fillStyle = solab.css('--muted');
			ctx.textAlign = 'right';
			ctx.fillText(`so_qlen ≤ ${counter.points.reduce((m, p) =>
			    Math.max(m, p[1]), 0)}`, this.left - 6,
			    y + height / 2, this.left - 8);
		}
	}

	/* What was lost stands out of the lane; the rest are ticks within. */
	marks({ lane, y, calls, bottom, queues }) {
		const { ctx } = this;
		const seen = new Set();

		for (const [t, , , kind] of lane.marks) {
			const x = Math.round(this.x(t));

			if (t < this.from || t > this.to ||
			    seen.has(`${kind}${x}`))
				continue;
			seen.add(`${kind}${x}`);
			if (kind === 'accept') {
				ctx.fillStyle = solab.meaning('accept');
				if (queues.length > 0)
					ctx.fillRect(x, bottom - 4, 1, 4);
			} else if (kind === 'drop' || kind === 'reset') {
				ctx.fillStyle = solab.meaning('drop');
				ctx.beginPath();
				ctx.moveTo(x - 3.5, y - 7);
				ctx.lineTo(x + 3.5, y - 7);
				ctx.lineTo(x, y);
				ctx.fill();
			} else if (kind === 'token') {
				ctx.fillStyle = solab.css('--c4');
				ctx.fillRect(x - 1, y - 5, 2, 5);
			} else if (kind === 'wakeup' && this.costs) {
				ctx.fillStyle = solab.css('--muted');
				ctx.fillRect(x, calls.y - 3, 1, 3);
			}
		}
	}

	/* Above the lanes: all of the window, what the servers' CPUs call. */
	map() {
		const { layers } = this, lanes = this.all.filter((l) => !l.peer);
		const key = `${this.width} ${solab.isDark()} ${this.find}`;
		const w = this.width - this.left;

		if (this.mapped !== key) {
			this.mapped = key;
			const { ctx } = solab.canvas(layers.map, 30);

			ctx.fillStyle = solab.css('--raised');
			ctx.fillRect(this.left, 0, w, 30);
			paintSum(ctx, lanes.map((l) => l.rows.calls), { from: 0,
				to: this.length, scale: w / this.length,
				columns: this.columns },
			    { x: this.left, y: 0, height: 30 },
			    this.colours.calls);
			ctx.textBaseline = 'middle';
			ctx.textAlign = 'right';
			ctx.fillStyle = solab.css('--muted');
			ctx.fillText('all CPUs', this.left - 6, 15,
			    this.left - 8);
		}
		const { style } = layers.frame;

		style.left = `${this.left + w * this.from / this.length}px`;
		style.width = `${Math.max(3, w * (this.to - this.from) /
		    this.length)}px`;
	}

	/* What depends on the pointer, over the lanes. */
	overlay() {
		const { hovered, drag } = this;
		const { ctx } = solab.canvas(this.layers.over, this.height);

		if (drag) {
			ctx.fillStyle = solab.css('--accent');
			ctx.globalAlpha = 0.2;
			ctx.fillRect(this.x(Math.min(drag.a, drag.b)), TOP - 6,
			    Math.abs(drag.b - drag.a) * this.scale,
			    this.height);
			ctx.globalAlpha = 1;
		}
		const picked = this.drawn.find((d) => d.lane.index === this.picked);

		if (picked) {
			ctx.fillStyle = solab.css('--accent');
			ctx.fillRect(0, picked.y, 3, picked.h);
		}
		if (!hovered)
			return;
		ctx.fillStyle = solab.css('--muted');
		ctx.fillRect(this.x(hovered.t), TOP - 6, 1, this.height);
		const at = this.drawn.find((d) => d.lane === hovered.lane);

		if (!at)
			return;
		const x0 = Math.max(this.left, this.x(hovered.from));

		ctx.strokeStyle = solab.css('--fg');
		ctx.lineWidth = 1.5;
		ctx.strokeRect(x0, at.y - 1, Math.max(1, Math.min(this.width,
		    this.x(hovered.to)) - x0), at.h + 2);
		this.arrows(ctx, hovered, at);
	}

	/* Messages that the hovered span took, or sent. */
	arrows(ctx, { lane, from, to }, here) {
		const list = [...lane.inbox.filter((m) => m[2] >= from && m[2] < to),
			...lane.outbox.filter((m) => m[0] >= from && m[0] < to)];
		const middle = (index) => {
			const at = this.drawn.find((d) => d.lane.index === index);

			return at ? at.y + at.h / 2 : null;
		};

		ctx.save();
		ctx.beginPath();
		ctx.rect(this.left, 0, this.width, this.height);
		ctx.clip();
		for (const [sent, a, taken, b] of list.slice(0, 200)) {
			const y0 = middle(a), y1 = middle(b);
			const x0 = this.x(sent), x1 = this.x(taken);

			if (y0 === null || y1 === null)
				continue;
			ctx.strokeStyle = solab.css('--fg');
			ctx.lineWidth = a === b ? 0.8 : 1.2;
			ctx.beginPath();
			ctx.moveTo(x0, y0);
			/* To itself: a bow, lest it lie on the lane. */
			if (a === b)
				ctx.quadraticCurveTo((x0 + x1) / 2, here.y - 12,
				    x1, y1);
			else
				ctx.lineTo(x1, y1);
			ctx.stroke();
			ctx.fillStyle = solab.css('--fg');
			ctx.beginPath();
			ctx.arc(x1, y1, 2.5, 0, 7);
			ctx.fill();
		}
		ctx.restore();
	}
}

solab.View = View;
solab.exact = exact;
})();
