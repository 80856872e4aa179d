'use strict';
/* CPUs: how busy each is and with what, and what requests cost. */
(() => {
const { data, h } = solab;
const KINDS = [['protocol threads', 'netisr'], ['interrupts', 'intr'],
	['processes, in user mode and in the kernel', 'user'], ['idle', 'idle']];

/* The point that a chart of one point shows: its own choice, else the first. */
solab.chooser = (div, redraw, has) => {
	const place = h('span');
	let id = null;
	const points = () => data.points.filter(has);
	const current = () => points().find((p) => p.id === id) ||
	    [solab.baseline(), ...solab.selected()]
		.find((p) => p && has(p)) || points()[0];
	const fill = () => {
		const list = points().slice(0, 400);

		place.replaceChildren(solab.choice('point', list.map((p) =>
		    [p.id, p.name]), current().id, (v) => {
			id = Number(v);
			redraw();
		}));
	};

	div.toolbar.prepend(place);
	fill();
	solab.on('select', fill);
	return current;
};

function machines(list) {
	const found = new Map();

	for (const row of list) {
		if (!found.has(row[0]))
			found.set(row[0], []);
		found.get(row[0]).push(row);
	}
	return [...found];
}

const part = (x) => Number.isFinite(x) ? Math.max(0, Math.min(1, x)) : 0;

/* netisr, interrupt, rest, idle: shares of all time. */
function shares([, , busy, netisr, interrupt]) {
	const all = part(busy), one = part(netisr), two = part(interrupt);

	return [one, two, Math.max(0, all - one - two), 1 - all];
}

const PLOT = 110, HEAD = 26, FOOT = 22, LEFT = 46, THIN = 7, WIDE = 40;

/*
 * Where machines go: side by side while they fit, and a machine of very many
 * CPUs in several rows. Returns: the height; each box: {machine, cpus, x, y, w}.
 */
function boxes(groups, width) {
	const most = Math.floor((width - LEFT) / THIN);
	const list = [];
	let x = 0, y = 0;

	for (const [machine, cpus] of groups)
		for (let i = 0; i < cpus.length; i += most) {
			const some = cpus.slice(i, i + most);
			const w = Math.max(THIN, Math.min(WIDE, (width - LEFT) /
			    Math.max(groups.length > 2 ? 20 : 1, some.length)));
			const need = LEFT + w * some.length + 12;

			if (x > 0 && x + need > width + 12) {
				x = 0;
				y += PLOT + HEAD + FOOT;
			}
			list.push({ cpus: some, x: x + LEFT, y: y + HEAD, w,
				machine: i > 0 ? `${machine}, CPU ${some[0][1]} on` :
				    machine });
			x += need;
		}
	return { list, height: y + PLOT + HEAD + FOOT };
}

function frame(ctx, { machine, cpus, x, y, w }) {
	const busy = cpus.reduce((sum, row) => sum + part(row[2]), 0);

	ctx.textAlign = 'left';
	ctx.fillStyle = solab.css('--fg');
	ctx.fillText(machine, x, y - 13);
	ctx.fillStyle = solab.css('--muted');
	ctx.fillText(`${solab.percent(100 * busy / cpus.length)} busy`,
	    x + ctx.measureText(`${machine}  `).width, y - 13);
	ctx.textAlign = 'right';
	for (const share of [0, 0.5, 1]) {
		ctx.fillStyle = solab.css('--grid');
		ctx.fillRect(x - 3, y + PLOT * (1 - share), w * cpus.length + 3, 1);
		ctx.fillStyle = solab.css('--muted');
		ctx.fillText(`${100 * share} %`, x - 6, y + PLOT * (1 - share));
	}
}

function drawCpus(div, point) {
	const { list, height } = boxes(machines(point.cpus || []),
	    Math.max(200, div.clientWidth));
	const { ctx } = solab.canvas(div, height);

	div.things = [];
	ctx.textBaseline = 'middle';
	for (const box of list) {
		const { machine, cpus, x: left, y: top, w } = box;
		const every = Math.ceil(30 / w);

		frame(ctx, box);
		ctx.textAlign = 'center';
		cpus.forEach((row, i) => {
			const x = left + i * w, gap = w > 12 ? 2 : 1;
			let y = top + PLOT;

			shares(row).forEach((share, k) => {
				ctx.fillStyle = solab.meaning(KINDS[k][1]);
				ctx.fillRect(x, y - PLOT * share, w - gap,
				    PLOT * share);
				y -= PLOT * share;
			});
			ctx.fillStyle = solab.css('--muted');
			if (i % every === 0)
				ctx.fillText(row[1], x + w / 2, top + PLOT + 10);
			div.things.push({ x, y: top, w, h: PLOT, lines: [
				`${machine.split(', CPU')[0]}, CPU ${row[1]}: ` +
				`${solab.percent(100 * part(row[2]))} busy`,
				...shares(row).map((s, k) =>
				    `${KINDS[k][0]}: ${row[4] === null && k === 1 ?
				    'not recorded' : solab.percent(100 * s)}`)] });
		});
	}
}

function keyOf(point) {
	const known = (point.cpus || []).some((row) => row[4] !== null);

	return KINDS.filter(([, kind]) => kind !== 'intr' || known)
	    .map(([name, kind]) => ({ colour: solab.meaning(kind),
		    name: kind === 'user' && !known ? `${name}, and interrupts` :
		    name }));
}

if (data.points.some((p) => p.cpus && p.cpus.length > 0))
	solab.section('cpu', 'CPUs', (body) => {
		const key = h('div');
		const csv = () => ({ name: 'cpus', header: ['point', 'machine',
			'cpu', 'busy', 'netisr', 'interrupt'],
			rows: point().cpus.map((row) => [point().label, ...row]) });
		const div = solab.panel(body, { id: 'cpu-bars',
			title: 'Utilisation of each CPU',
			note: 'Shares of the measured time, means over the ' +
			    'replications. Protocol threads count wherever ' +
			    'they ran.', csv });
		const redraw = () => {
			solab.key(key, keyOf(point()));
			drawCpus(div, point());
			if (table)
				table.update();
		};
		const point = solab.chooser(div, redraw, (p) => p.cpus &&
		    p.cpus.length > 0);
		let table = null;

		div.before(key);
		solab.walkable(div);
		table = solab.asTable(div, csv);
		solab.redraw(div, redraw);
	});

/* Costs: a group of bars for each, a bar for each point. */

const MOST = 14, POINTS = 8, BAR = 14;
const SAME = 0.0005; /* of a cost: no difference worth a word */
const OTHERS = 'all others';

function costRows(machine, order) {
	const points = solab.selected().filter((p) => p.costs).slice(0, POINTS);
	const pinned = solab.baseline();
	const maps = new Map([...points, pinned].filter(Boolean).map((p) =>
	    [p, new Map((p.costs || []).filter((c) => c[0] === machine && c[2] > 0)
		.map(([, name, ns]) => [name, ns]))]));
	const of = (p, name) => maps.get(p).get(name) || 0;
	const names = [...new Set(points.flatMap((p) => [...maps.get(p).keys()]))];
	const size = (name) => Math.max(...points.map((p) => of(p, name)));
	const change = (name) => Math.max(...points.map((p) =>
	    Math.abs(of(p, name) - of(pinned, name))));
	const by = new Map(names.map((name) => [name,
		order === 'difference' && pinned ? change(name) : size(name)]));

	names.sort((a, b) => by.get(b) - by.get(a));
	return { points, pinned, names, of, sum: (p) =>
	    [...maps.get(p).values()].reduce((a, b) => a + b, 0) };
}

/* The largest, and the rest of them together. */
function shownRows(rows, all) {
	const { points, names, of } = rows;
	const shown = all ? names : names.slice(0, MOST);
	const left = names.slice(shown.length);
	const list = shown.map((name) => ({ name, ns: (p) => of(p, name) }));

	if (left.length > 0)
		list.push({ name: OTHERS, ns: (p) =>
		    left.reduce((sum, name) => sum + of(p, name), 0) });
	return { list, most: Math.max(1, ...list.flatMap((row) =>
	    points.map((p) => row.ns(p)))) };
}

function difference(ns, base) {
	const by = ns - base, sign = by > 0 ? '+' : '−';

	if (by === 0 || Math.abs(by) < SAME * base)
		return '±0';
	return `${sign}${solab.time(Math.abs(by))}` + (base > 0 ?
	    ` (${sign}${solab.percent(Math.abs(100 * by / base))})` : '');
}

function drawGroup(div, ctx, row, { top, left, scale, rows, width }) {
	const { points, pinned } = rows;

	/* Where the baseline ends. */
	if (pinned) {
		ctx.fillStyle = solab.css('--fg');
		ctx.fillRect(left + row.ns(pinned) * scale - 1, top - 2, 1,
		    BAR * points.length + 2);
	}
	points.forEach((p, k) => {
		const ns = row.ns(p), y = top + k * BAR;
		const text = solab.time(ns), w = Math.max(1, ns * scale);
		const more = pinned && pinned !== p ?
		    difference(ns, row.ns(pinned)) : '';

		ctx.fillStyle = p.colour;
		ctx.globalAlpha = p.dash ? 0.6 : 1;
		ctx.fillRect(left, y + 1, w, BAR - 3);
		ctx.globalAlpha = 1;
		ctx.fillStyle = solab.css('--muted');
		ctx.fillText(text, left + w + 5, y + BAR / 2);
		if (more) {
			ctx.fillStyle = solab.css(more.startsWith('+') ? '--bad' :
			    more.startsWith('−') ? '--good' : '--muted');
			ctx.fillText(more, left + w + 13 +
			    ctx.measureText(text).width, y + BAR / 2);
		}
		div.things.push({ x: left, y, w: width - left, h: BAR, lines: [
			p.name, `${row.name}: ${text} a request, ` +
			`${solab.percent(100 * ns / rows.sum(p))} of all`,
			...more ? [`against the baseline: ${more}`] : [] ] });
	});
}

function drawCosts(div, key, { machine, all, order }) {
	const rows = costRows(machine, order), { points } = rows;
	const { list, most } = shownRows(rows, all);
	const narrow = div.clientWidth < 560;

	solab.key(key, points.map((p) => ({ colour: p.colour, faint: p.dash,
		name: `${p.name}: ${solab.time(rows.sum(p))} a request` })));
	if (solab.nothing(div, list.length === 0, points.length === 0 ?
	    'No point is selected.' : 'Nothing was charged here.'))
		return;
	const left = narrow ? 100 : 140;
	const right = (narrow ? 60 : 70) + (rows.pinned ? 130 : 0);
	const block = BAR * points.length + 8;
	const { ctx, width } = solab.canvas(div, list.length * block + 4);

	div.things = [];
	ctx.textBaseline = 'middle';
	list.forEach((row, i) => {
		const top = i * block + 4;

		ctx.fillStyle = solab.css(row.name === OTHERS ? '--muted' : '--fg');
		ctx.textAlign = 'right';
		ctx.fillText(row.name, left - 8, top + block / 2 - 4, left - 10);
		ctx.textAlign = 'left';
		drawGroup(div, ctx, row, { top, left, rows, width,
			scale: Math.max(20, width - left - right) / most });
	});
}

const MACHINES = [...new Set(data.points.flatMap((p) =>
    (p.costs || []).map((c) => c[0])))].sort((a, b) =>
    isPeer(a) - isPeer(b));

/* Only machines have listeners. */
function isPeer(name) {
	return !data.points.some((p) => (p.listeners || [])
	    .some((l) => l[0] === name));
}

if (MACHINES.length > 0)
	solab.section('costs', 'Costs', (body) => {
		const state = { machine: MACHINES[0], all: false, order: 'size' };
		const key = h('div');
		const csv = () => {
			const rows = costRows(state.machine, state.order);
			const { list } = shownRows(rows, state.all);

			return { name: `costs-${state.machine}`, header: ['cost',
				...rows.points.map((p) => p.label)],
				rows: list.map((row) => [row.name,
					...rows.points.map(row.ns)]) };
		};
		const div = solab.panel(body, { id: 'cost-bars',
			title: 'CPU time a request, by cost',
			note: 'All CPUs of a machine together, of up to ' +
			    `${POINTS} selected points. With a baseline (⚑): ` +
			    'the difference to it; the thin line is where it ' +
			    'ends. What each cost pays for: solab costs.', csv });
		const redraw = () => drawCosts(div, key, state);
		const set = (name) => (v) => {
			state[name] = v;
			redraw();
			table.update();
		};

		div.before(key);
		div.toolbar.prepend(
		    solab.choice('machine', MACHINES.map((m) => [m, m]),
			state.machine, set('machine')),
		    solab.choice('order', [['size', 'largest first'],
			['difference', 'by difference to the baseline']], 'size',
			set('order')),
		    solab.check('all', false, set('all')));
		solab.walkable(div);
		const table = solab.asTable(div, csv);

		solab.redraw(div, redraw);
	});
})();
