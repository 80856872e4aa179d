'use strict';
/* CPUs, what they spend their time on, tokens and listening sockets. */
(() => {
const { data, h } = solab;
const KINDS = [['protocol threads', '--c0'], ['interrupts', '--c6'],
	['processes and the rest', '--c1']];

/* The point that a chart of one point shows: its own choice, else the first. */
function chooser(div, redraw, has) {
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
}

function machines(list) {
	const found = new Map();

	for (const row of list) {
		if (!found.has(row[0]))
			found.set(row[0], []);
		found.get(row[0]).push(row);
	}
	return [...found];
}

/* netisr, interrupt, rest: shares of all time. */
function shares([, , busy, netisr, interrupt]) {
	return [netisr, interrupt || 0, Math.max(0, busy - netisr -
	    (interrupt || 0))];
}

const PLOT = 120, HEAD = 30, LEFT = 46;

function drawCpus(div, point) {
	const groups = machines(point.cpus);
	const { ctx, width } = solab.canvas(div, groups.length *
	    (PLOT + HEAD + 30));
	let top = 0;

	div.things = [];
	ctx.textBaseline = 'middle';
	for (const [machine, cpus] of groups) {
		const w = Math.min(44, (width - LEFT) / cpus.length);
		const y0 = top + HEAD + PLOT;

		ctx.fillStyle = solab.css('--fg');
		ctx.textAlign = 'left';
		ctx.fillText(machine, 0, top + 10);
		ctx.textAlign = 'right';
		for (const share of [0, 0.5, 1]) {
			ctx.fillStyle = solab.css('--grid');
			ctx.fillRect(LEFT, y0 - PLOT * share, w * cpus.length, 1);
			ctx.fillStyle = solab.css('--muted');
			ctx.fillText(`${100 * share} %`, LEFT - 6,
			    y0 - PLOT * share);
		}
		ctx.textAlign = 'center';
		cpus.forEach((row, i) => {
			let y = y0;
			const x = LEFT + i * w;

			shares(row).forEach((share, k) => {
				const hgt = PLOT * share;

				ctx.fillStyle = solab.css(KINDS[k][1]);
				ctx.fillRect(x + 1, y - hgt, Math.max(1, w - 2),
				    hgt);
				y -= hgt;
			});
			ctx.fillStyle = solab.css('--muted');
			if (i % Math.ceil(22 / w) === 0)
				ctx.fillText(row[1], x + w / 2, y0 + 10);
			div.things.push({ x, y: top + HEAD, w, h: PLOT, lines: [
				`${machine}, CPU ${row[1]}: ` +
				`${solab.percent(100 * row[2])} busy`,
				...shares(row).map((s, k) =>
				    `${KINDS[k][0]} ${solab.percent(100 * s)}`)] });
		});
		top += PLOT + HEAD + 30;
	}
}

if (data.points.some((p) => p.cpus && p.cpus.length > 0))
	solab.section('cpu', 'CPUs', (body) => {
		const key = h('div');
		const div = solab.panel(body, { id: 'cpu-bars',
			title: 'Utilisation of each CPU',
			note: 'Shares of the measured time; what is missing to ' +
			    '100 % is idle. Protocol threads count wherever ' +
			    'they ran.',
			csv: () => ({ name: 'cpus', header: ['point', 'machine',
				'cpu', 'busy', 'netisr', 'interrupt'],
				rows: point().cpus.map((row) =>
				    [point().label, ...row]) }) });
		const redraw = () => drawCpus(div, point());
		const point = chooser(div, redraw, (p) => p.cpus &&
		    p.cpus.length > 0);

		div.before(key);
		solab.hoverable(div);
		const all = () => {
			solab.key(key, KINDS.map(([name, c]) =>
			    ({ name, colour: solab.css(c) })));
			redraw();
		};

		solab.redraw(div, all);
	});

/* Costs: a group of bars for each, a bar for each point. */

const MOST = 16, BAR = 12;

function costRows(machine) {
	const points = solab.selected().filter((p) => p.costs).slice(0, 8);
	const sum = new Map();

	for (const p of points)
		for (const [m, name, ns] of p.costs)
			if (m === machine && ns > 0)
				sum.set(name, Math.max(sum.get(name) || 0, ns));
	const names = [...sum].sort((a, b) => b[1] - a[1]).map(([n]) => n);
	const of = (p, n) => (p.costs.find((c) => c[0] === machine &&
	    c[1] === n) || [])[2] || 0;

	return { points, names, of, most: Math.max(1, ...sum.values()) };
}

function drawCosts(div, machine) {
	const { points, names, of, most } = costRows(machine);
	const shown = names.slice(0, MOST), left = 150, right = 150;
	const pinned = solab.baseline();
	const block = BAR * Math.max(1, points.length) + 8;
	const { ctx, width } = solab.canvas(div, Math.max(30,
	    shown.length * block + 4));
	const scale = Math.max(20, width - left - right) / most;

	div.things = [];
	ctx.textBaseline = 'middle';
	shown.forEach((name, i) => {
		const top = i * block + 4;

		ctx.fillStyle = solab.css('--fg');
		ctx.textAlign = 'right';
		ctx.fillText(name, left - 8, top + block / 2 - 4, left - 10);
		ctx.textAlign = 'left';
		points.forEach((p, k) => {
			const ns = of(p, name), y = top + k * BAR;
			const more = pinned && pinned !== p && of(pinned, name) ?
			    `  ${(100 * (ns / of(pinned, name) - 1)) > 0 ? '+' :
			    ''}${(100 * (ns / of(pinned, name) - 1)).toFixed(1)} %`
			    : '';

			ctx.fillStyle = p.colour;
			ctx.globalAlpha = p.dash ? 0.6 : 1;
			ctx.fillRect(left, y, Math.max(1, ns * scale), BAR - 2);
			ctx.globalAlpha = 1;
			ctx.fillStyle = solab.css('--muted');
			ctx.fillText(solab.time(ns) + more,
			    left + Math.max(1, ns * scale) + 5, y + BAR / 2);
			div.things.push({ x: left, y, w: width - left, h: BAR,
				lines: [p.name, `${name}: ${solab.time(ns)} a ` +
				    `request${more}`] });
		});
	});
}

const MACHINES = [...new Set(data.points.flatMap((p) =>
    (p.costs || []).map((c) => c[0])))];

if (MACHINES.length > 0)
	solab.section('costs', 'Costs', (body) => {
		let machine = MACHINES[0];
		const div = solab.panel(body, { id: 'cost-bars',
			title: 'CPU time a request, by cost',
			note: `The ${MOST} largest, all CPUs of a machine ` +
			    'together, of up to eight selected points. With a ' +
			    'baseline: the difference to it. What each pays ' +
			    'for: `solab costs`.',
			csv: () => {
				const { points, names, of } = costRows(machine);

				return { name: `costs-${machine}`,
					header: ['cost', ...points.map((p) =>
					    p.label)],
					rows: names.map((n) => [n,
					    ...points.map((p) => of(p, n))]) };
			} });
		const redraw = () => drawCosts(div, machine);

		div.toolbar.prepend(solab.choice('machine', MACHINES.map((m) =>
		    [m, m]), machine, (v) => {
			machine = v;
			redraw();
		}));
		solab.hoverable(div);
		solab.redraw(div, redraw);
	});

/* Tokens. */

if (data.points.some((p) => p.tokens && p.tokens.length > 0))
	solab.section('tokens', 'Tokens', (body) => {
		const columns = [['taken', (t, p) => solab.number(t.gets /
		    Math.max(1, p.metrics.requests[0])) + ' a request'],
		    ['waited', (t) => solab.percent(100 * t.waits /
		    Math.max(1, t.gets))],
		    ['mean wait', (t) => solab.time(t.wait_mean_ns)],
		    ['longest', (t) => solab.time(t.wait_max_ns)],
		    ['mean hold', (t) => solab.time(t.hold_mean_ns)],
		    ['longest', (t) => solab.time(t.hold_max_ns)],
		    ['CPU given up', (t) => solab.number(t.collisions)],
		    ['busiest held', (t) => solab.percent(t.busiest_pct)]];
		const points = () => solab.selected().filter((p) => p.tokens);
		const div = solab.panel(body, { id: 'tokens-table',
			title: 'Serialising tokens',
			note: 'Of the first replication. Waited: of the times it ' +
			    'was taken. Busiest: the token of a group that was ' +
			    'held longest, of all time.',
			csv: () => ({ name: 'tokens', header: ['point', 'machine',
				'name', 'count', 'gets', 'waits', 'collisions',
				'hold_mean_ns', 'hold_max_ns', 'wait_mean_ns',
				'wait_max_ns', 'busiest_pct'],
				rows: points().flatMap((p) => p.tokens.map((t) =>
				    [p.label, ...Object.values(t)])) }) });

		solab.redraw(div, () => div.replaceChildren(h('div',
		    { class: 'table' }, h('table', {}, h('thead', {}, h('tr', {},
			h('th', { class: 'text', text: 'point' }),
			h('th', { class: 'text', text: 'token' }),
			...columns.map(([t]) => h('th', { text: t })))),
			h('tbody', {}, ...points().flatMap((p) =>
			    p.tokens.map((t) => h('tr', {},
				h('td', { class: 'text', text: p.name }),
				h('td', { class: 'text', text: t.count > 1 ?
				    `${t.name} (${t.count})` : t.name }),
				...columns.map(([, f]) => h('td', { text:
				    f(t, p) }))))))))));
	});

/* Listening sockets: the queue against its limit, and what was dropped. */

function drawListeners(div, point) {
	const list = point.listeners, top = 14, plot = 150, drops = 50;
	const { ctx, width } = solab.canvas(div, top + plot + drops + 50);
	const limit = Math.max(...list.map((l) => l[5]));
	const most = 1.05 * Math.max(1, limit, ...list.map((l) => l[4]));
	const lost = Math.max(1, ...list.map((l) => l[6] + l[7]));
	const w = Math.min(44, (width - LEFT) / list.length);
	const y = (q) => top + plot - plot * q / most;
	const base = top + plot + 22;

	div.things = [];
	ctx.textBaseline = 'middle';
	list.forEach((l, i) => {
		const [, index, cpu, mean, max, of, syn, refused, accepted] = l;
		const x = LEFT + i * w;

		ctx.fillStyle = solab.css('--counted');
		ctx.fillRect(x + 2, y(mean), Math.max(1, w - 4), y(0) - y(mean));
		ctx.fillStyle = solab.css('--fg');
		ctx.fillRect(x + 2, y(max) - 1, Math.max(1, w - 4), 2);
		ctx.fillStyle = solab.css('--bad');
		ctx.fillRect(x + 2, base, Math.max(1, w - 4),
		    drops * (syn + refused) / lost);
		ctx.fillStyle = solab.css('--muted');
		ctx.textAlign = 'center';
		if (i % Math.ceil(22 / w) === 0)
			ctx.fillText(`${index}`, x + w / 2, top + plot + 10);
		div.things.push({ x, y: top, w, h: plot + drops + 30, lines: [
			`listener ${index} on CPU ${cpu}`,
			`mean ${solab.number(mean)}, at most ${max}, limit ${of}`,
			`${solab.number(accepted)} accepted`,
			`${solab.number(syn)} SYNs dropped, ` +
			    `${solab.number(refused)} refused`] });
	});
	ctx.strokeStyle = solab.css('--fg');
	ctx.setLineDash([4, 3]);
	ctx.beginPath();
	ctx.moveTo(LEFT, y(limit));
	ctx.lineTo(LEFT + w * list.length, y(limit));
	ctx.stroke();
	ctx.fillStyle = solab.css('--muted');
	ctx.textAlign = 'right';
	ctx.fillText('0', LEFT - 6, y(0));
	ctx.fillText(limit, LEFT - 6, y(limit));
	ctx.fillText('drops', LEFT - 6, base + 8);
	ctx.textAlign = 'left';
	ctx.fillText(`most: ${solab.number(lost)}`, LEFT, base + drops + 14);
}

if (data.points.some((p) => p.listeners && p.listeners.length > 0))
	solab.section('listeners', 'Listening sockets', (body) => {
		const div = solab.panel(body, { id: 'listener-bars',
			title: 'Completion queues',
			note: 'Bars: mean length of so_comp; black: the longest; ' +
			    'dashed: its limit (so_qlimit). Below, in red: SYNs ' +
			    'dropped and third ACKs refused.',
			csv: () => ({ name: 'listeners', header: ['point',
				'machine', 'listener', 'cpu', 'qlen_mean',
				'qlen_max', 'qlimit', 'syn_drops', 'refused',
				'accepted'], rows: point().listeners.map((row) =>
				[point().label, ...row]) }) });
		const redraw = () => drawListeners(div, point());
		const point = chooser(div, redraw, (p) => p.listeners &&
		    p.listeners.length > 0);

		solab.hoverable(div);
		solab.redraw(div, redraw);
	});
})();
