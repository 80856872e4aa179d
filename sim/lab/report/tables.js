'use strict';
/* Tables: every point's metrics, published values, counters, provenance. */
(() => {
const { data, h } = solab;
const ROWS = 200;
const WARNINGS = {
	'warmup-short': ['↗', 'the warm-up is too short: the first slices of ' +
	    'the measurement are unlike the rest'],
	'no-steady-state': ['!', 'no steady state: the beginning and the end ' +
	    'of the measurement differ'],
	'too-short': ['?', 'too few slices to tell whether it is steady'],
};
const SHOWN = ['throughput_rps', 'latency_mean_ns', 'latency_stdev_ns',
	'latency_p50_ns', 'latency_p99_ns', 'latency_p999_ns',
	'latency_max_ns', 'cycle_mean_ns', 'requests'];

function number(point, metric) {
	const pair = point.metrics[metric];

	return pair ? pair[0] : null;
}

function cell(point, metric) {
	const [value, half] = point.metrics[metric.name] || [null, null];
	const td = h('td', { text: solab.value(metric, value) });

	if (half !== null && value !== null)
		td.append(h('span', { class: 'half',
			text: ` ± ${solab.half(metric, half, value)}`,
			title: '95 % interval over the replications' }));
	const rare = { latency_p999_ns: 1e5, latency_p99_ns: 1e4 }[metric.name];

	if (rare && point.samples > 0 && point.samples < rare)
		td.append(h('span', { class: 'warn', text: '*',
			title: `${point.samples} samples; ${rare} are wanted` }));
	return td;
}

function state(point) {
	const [sign, why] = WARNINGS[point.steady] || [];
	const td = h('td', { class: 'text' });

	if (point.failed > 0)
		td.append(h('span', { class: 'bad', title: point.message,
			text: `${point.failed} failed ` }));
	if (point.reps === 0 && point.failed === 0)
		td.append('not run');
	if (sign)
		td.append(h('span', { class: 'warn', text: sign, title: why }));
	return td;
}

/* A table that sorts by its headings. columns: {text, title, key, cell}. */
function sorted(columns, points, row) {
	const body = h('tbody');
	let by = null, down = false;
	const fill = () => {
		const list = [...points()];

		if (by)
			list.sort((a, b) => {
				const x = by.key(a), y = by.key(b);
				const order = x === null ? 1 : y === null ? -1 :
				    x < y ? -1 : x > y ? 1 : 0;

				return down && x !== null && y !== null ?
				    -order : order;
			});
		body.replaceChildren(...list.slice(0, ROWS).map((p) => {
			const tr = row(p);

			tr.append(...columns.map((c) => c.cell(p)));
			return tr;
		}));
		if (list.length > ROWS)
			body.append(h('tr', {}, h('td', { class: 'text note',
				colspan: columns.length, text: `${list.length -
				ROWS} more: find them by the search, or take ` +
				'the CSV' })));
	};
	const heads = columns.map((c) => {
		const button = solab.button(c.text, () => {
			down = by === c ? !down : false;
			by = c;
			for (const [i, th] of heads.entries())
				th.setAttribute('aria-sort', columns[i] !== c ?
				    'none' : down ? 'descending' : 'ascending');
			fill();
		}, c.title);

		return h('th', { class: c.text_ ? 'text' : '', scope: 'col' },
		    button);
	});

	fill();
	return { fill, table: h('div', { class: 'table' }, h('table', {},
	    h('thead', {}, h('tr', {}, ...heads)), body)) };
}

function summary(body) {
	const metrics = SHOWN.map(solab.metric).filter(Boolean);
	const columns = [
		{ text: 'point', text_: true, title: 'in the order of the store',
		    key: (p) => p.id, cell: (p) => h('td', { class: 'text name' },
			solab.swatch(p), h('span', { text: p.name,
			    title: p.label })) },
		{ text: 'runs', title: 'replications', key: (p) => p.reps,
		    cell: (p) => h('td', { text: p.reps }) },
		...metrics.map((m) => ({ text: m.label.replaceAll('_', ' '),
			title: m.help, key: (p) => number(p, m.name),
			cell: (p) => cell(p, m) })),
		{ text: 'notes', text_: true, title: 'failures and warnings',
		    key: (p) => `${p.failed} ${p.steady}`, cell: state },
	];
	const div = solab.panel(body, { id: 'summary-table',
		title: 'All points', note: 'Each metric over all replications ' +
		    'together, ± half of its 95 % interval. A heading sorts; a ' +
		    'row draws its point, or not.',
		csv: () => ({ name: 'summary', header: ['point', 'runs', 'failed',
			'steady', ...data.metrics.flatMap((m) =>
			    [m.name, `${m.name}_half`])],
			rows: data.points.map((p) => [p.label, p.reps, p.failed,
			    p.steady, ...data.metrics.flatMap((m) =>
				p.metrics[m.name] || [null, null])]) }) });
	const find = h('input', { type: 'search', placeholder: 'find points',
		'aria-label': 'find points in the table' });
	const { table, fill } = sorted(columns, () =>
	    data.points.filter((p) => solab.matches(p, find.value)), (p) => {
		const tr = h('tr', { class: `pick${solab.isSelected(p) ?
			'' : ' off'}` });

		tr.addEventListener('click', () =>
		    solab.select(p, !solab.isSelected(p)));
		tr.addEventListener('pointerenter', () => solab.hover(p));
		tr.addEventListener('pointerleave', () => solab.hover(null));
		return tr;
	});

	find.addEventListener('input', fill);
	div.toolbar.prepend(find);
	div.append(table);
	solab.on('select', fill);
}

solab.section('summary', 'Summary', (body) => {
	if (data.points.length === 0)
		body.append(h('p', { text: 'There is no point in this store.' }));
	else
		summary(body);
});

/* The error on a scale of one tolerance to each side. */
function gauge(q) {
	const canvas = h('canvas', { class: 'gauge', 'aria-hidden': 'true' });

	if (q.tolerance_pct === null || q.error_pct === null)
		return canvas;
	const draw = () => {
		const scale = window.devicePixelRatio || 1, w = 90, y = 14;

		canvas.width = w * scale;
		canvas.height = y * scale;
		canvas.style.width = `${w}px`;
		canvas.style.height = `${y}px`;
		const ctx = canvas.getContext('2d');
		const at = w / 2 + Math.max(-1.4, Math.min(1.4,
		    q.error_pct / q.tolerance_pct)) * w / 3;

		ctx.scale(scale, scale);
		ctx.fillStyle = solab.css('--grid');
		ctx.fillRect(w / 6, 5, w * 2 / 3, 4);
		ctx.fillStyle = solab.css('--muted');
		ctx.fillRect(w / 2 - 0.5, 2, 1, 10);
		ctx.fillStyle = solab.css(q.ok ? '--good' : '--bad');
		ctx.beginPath();
		ctx.arc(at, 7, 4, 0, 7);
		ctx.fill();
	};

	draw();
	solab.on('theme', draw);
	return canvas;
}

function verdict(q) {
	if (q.ok === null)
		return h('td', { class: 'text', text: q.value === null ?
		    'a variant' : 'see the ranges of `solab reproduce`' });
	if (q.ok)
		return h('td', { class: 'text good', text: 'ok' });
	return h('td', { class: 'text wide bad', text: q.missed ?
	    `miss, known: ${q.missed}` : 'MISS' });
}

function metricOf(q) {
	const metric = solab.metric(q.metric) ||
	    { label: q.metric, unit: '', help: '' };

	return q.ratio_to === null ? metric : { ...metric, unit: '%',
		label: `${metric.label}, gain over ${q.ratio_to}` };
}

if (data.published.length > 0)
	solab.section('published', 'Published and simulated', (body) => {
		const judged = data.published.filter((q) => q.ok !== null);
		const good = judged.filter((q) => q.ok).length;
		const text = (t) => h('td', { class: 'text', text: t });
		const wide = (t) => h('td', { class: 'text wide', text: t });
		const columns = [
			{ text: 'where', text_: true, key: (q) => q.where,
			    cell: (q) => wide(q.where) },
			{ text: 'metric', text_: true, key: (q) => q.metric,
			    cell: (q) => text(metricOf(q).label
				.replaceAll('_', ' ')) },
			{ text: 'published', key: (q) => q.value,
			    cell: (q) => h('td', { text:
				solab.value(metricOf(q), q.value) }) },
			{ text: 'simulated', key: (q) => q.simulated,
			    cell: (q) => h('td', { text:
				solab.value(metricOf(q), q.simulated) }) },
			{ text: 'error', title: 'percent, or points of a percent',
			    key: (q) => q.error_pct && Math.abs(q.error_pct),
			    cell: (q) => h('td', { text: q.error_pct === null ?
				'–' : `${q.error_pct > 0 ? '+' : ''}` +
				`${q.error_pct.toFixed(2)}` }) },
			{ text: 'tolerance', key: (q) => q.tolerance_pct,
			    cell: (q) => h('td', {}, q.tolerance_pct === null ?
				'–' : `${q.tolerance_pct} `, gauge(q)) },
			{ text: 'role', text_: true, key: (q) => q.role,
			    cell: (q) => text(q.role) },
			{ text: 'verdict', text_: true, key: (q) => String(q.ok),
			    cell: verdict },
		];
		const div = solab.panel(body, { id: 'published-table',
			title: `${good} of ${judged.length} inside their ` +
			    'tolerance',
			note: 'Fitted: a cost was set so that it comes out. ' +
			    'Predicted: it came out by itself. The dot is the ' +
			    'error, the bar the tolerance on both sides.',
			csv: () => ({ name: 'published', header: ['where',
				'ratio_to', 'metric', 'published', 'simulated',
				'half', 'error_pct', 'tolerance_pct', 'role',
				'ok', 'missed'],
				rows: data.published.map((q) => [q.where,
				    q.ratio_to, q.metric, q.value, q.simulated,
				    q.half, q.error_pct, q.tolerance_pct, q.role,
				    q.ok, q.missed]) }) });

		div.append(sorted(columns, () => data.published,
		    () => h('tr')).table);
	});

/* Counters a request of the selected points; the baseline makes them ratios. */
function counters(div) {
	const points = solab.selected().slice(0, 12);
	const pinned = solab.baseline();
	const names = Object.keys(data.counters).filter((n) =>
	    points.some((p) => p.counters && p.counters[n]));
	const of = (p, n) => p.counters && p.counters[n] ? p.counters[n][1] : 0;

	div.replaceChildren(h('div', { class: 'table' }, h('table', {},
	    h('thead', {}, h('tr', {}, h('th', { class: 'text',
		text: 'counter' }), ...points.map((p) => h('th', { text:
		p.name + (p === pinned ? ' (baseline)' : '') })),
		h('th', { class: 'text', text: 'what it counts' }))),
	    h('tbody', {}, ...names.map((n) => h('tr', {},
		h('td', { class: 'text' }, h('code', { text: n })),
		...points.map((p) => h('td', { text:
		    `${solab.number(of(p, n))}` + (pinned && p !== pinned &&
		    of(pinned, n) > 0 ? ` (${(100 * (of(p, n) /
		    of(pinned, n) - 1)).toFixed(1)} %)` : '') })),
		h('td', { class: 'text', text: data.counters[n] })))))));
	return { points, names, of };
}

if (data.points.some((p) => p.counters))
	solab.section('counters', 'Counters', (body) => {
		const div = solab.panel(body, { id: 'counters-table',
			title: 'Events a request',
			note: 'Drops, retries, messages, switches, and the ' +
			    'kernel\'s own statistics (tcps_...), of up to ' +
			    'twelve selected points. Those that are 0 are left ' +
			    'out.',
			csv: () => {
				const { points, names, of } = counters(div);

				return { name: 'counters', header: ['counter',
					...points.map((p) => p.label)],
					rows: names.map((n) => [n,
					    ...points.map((p) => of(p, n))]) };
			} });

		solab.redraw(div, () => counters(div));
	});

/* Where it came from. */
solab.section('provenance', 'Provenance', (body) => {
	const list = data.sessions.map((s) => h('tr', {},
	    h('td', { class: 'text' }, h('code', { text: s.command })),
	    h('td', { class: 'text', text: `${s.started}` }),
	    h('td', { class: 'text', text: s.host }),
	    h('td', { class: 'text', text: `solab ${s.version}, SimGrid ` +
		s.simgrid })));
	const points = data.points.slice(0, ROWS);

	body.append(h('p', { class: 'note', text: 'The commands that wrote ' +
	    'this store. Any point can be run again from it, to the byte: ' +
	    'solab rerun DB POINT.' }),
	    h('div', { class: 'table' }, h('table', {}, h('tbody', {}, ...list))),
	    h('details', { class: 'fold' }, h('summary', { text:
		'Points: numbers, seeds, windows, keys' }),
		h('div', { class: 'table' }, h('table', {}, h('thead', {},
		    h('tr', {}, ...['point', 'label', 'seed', 'warm-up',
			'measured', 'model', 'key'].map((t) => h('th', { class:
			'text', text: t })))),
		    h('tbody', {}, ...points.map((p) => h('tr', {},
			h('td', { text: p.id }),
			h('td', { class: 'text', text: p.label }),
			h('td', { text: p.seed }),
			h('td', { text: solab.time(p.warmup_ns) }),
			h('td', { text: solab.time(p.measure_ns) }),
			h('td', { class: 'text', text: data.models[p.model] }),
			h('td', { class: 'text' }, h('code', { text:
			    p.key.slice(0, 16) })))))))));
});
})();
