'use strict';
/* Tables that sort: every point's metrics, its counters, where it came from. */
(() => {
const { data, h } = solab;
const ROWS = 200;
const STEADY = {
	'warmup-short': ['short warm-up', 'the first slices of the ' +
	    'measurement are unlike the rest'],
	'no-steady-state': ['not steady', 'the beginning and the end of the ' +
	    'measurement differ'],
	'too-short': ['few slices', 'too few to tell whether it is steady'],
};
const SHOWN = ['throughput_rps', 'latency_mean_ns', 'latency_stdev_ns',
	'latency_p50_ns', 'latency_p99_ns', 'latency_p999_ns',
	'latency_max_ns', 'cycle_mean_ns', 'littles_law_error_pct', 'requests'];
/* Samples that a percentile wants: a hundred above it. */
const WANTED = { latency_p90_ns: 1e3, latency_p99_ns: 1e4,
	latency_p999_ns: 1e5 };

/* What has no value comes last, up and down. */
function compare(x, y, down) {
	if (x === null || y === null)
		return (x === null) - (y === null);
	return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
}

/* The first n columns stay when the others move, if there is room for both. */
function stick(table, n) {
	const heads = [...table.tHead.rows[0].cells].slice(0, n);
	const wide = heads.reduce((sum, th) => sum + th.offsetWidth, 0);
	const on = wide < table.parentElement.clientWidth * 0.5;
	let left = 0;

	heads.forEach((th, i) => {
		for (const row of table.rows)
			if (row.cells.length > n) {
				row.cells[i].classList.toggle('stick', on);
				row.cells[i].style.left = on ? `${left}px` : '';
			}
		left += th.offsetWidth;
	});
}

/*
 * A table that sorts by its headings.
 * columns: [{text, unit, title, left, key(item), cell(item) -> td}]; sticky:
 * how many of them stay in sight.
 * Returns: {element, fill()}; fill() makes the rows anew.
 */
solab.table = (columns, items, { row = () => h('tr'), sticky = 0 } = {}) => {
	const body = h('tbody');
	const more = solab.button('', () => {
		most += 5 * ROWS;
		fill();
	});
	const table = h('table');
	let by = null, down = false, most = ROWS;
	const fill = () => {
		const list = [...items()];

		if (by)
			list.sort((a, b) => compare(by.key(a), by.key(b), down));
		body.replaceChildren(...list.slice(0, most).map((item) => {
			const tr = row(item);

			tr.append(...columns.map((c) => c.cell(item)));
			return tr;
		}));
		more.hidden = list.length <= most;
		more.textContent = `${solab.number(list.length - most)} more rows: ` +
		    `show ${solab.number(Math.min(5 * ROWS, list.length - most))}`;
		requestAnimationFrame(() => stick(table, sticky));
	};
	const heads = columns.map((c) => h('th', { scope: 'col',
		class: c.left ? 'text' : '' }, c.key ? solab.button(c.text, () => {
			down = by === c ? !down : false;
			by = c;
			for (const [i, th] of heads.entries())
				th.setAttribute('aria-sort', columns[i] !== c ?
				    'none' : down ? 'descending' : 'ascending');
			fill();
		}, c.title) : c.text || '',
		c.unit ? h('span', { class: 'unit', text: c.unit }) : null));

	table.append(h('thead', {}, h('tr', {}, ...heads)), body);
	fill();
	return { fill, element: h('div', {}, h('div', { class: 'table' }, table),
	    more) };
};

/* All points. */

function isRare(point, metric) {
	const wanted = WANTED[metric.name];

	return wanted && point.samples > 0 && point.samples < wanted;
}

function metricCell(point, metric, format) {
	const [value, half] = point.metrics[metric.name] || [null, null];
	const td = h('td', { text: format.text(value) });

	if (isRare(point, metric))
		td.append(h('span', { class: 'warn', text: '*', title:
		    `${solab.number(point.samples)} samples; ` +
		    `${solab.number(WANTED[metric.name])} are wanted` }));
	if (half !== null && value !== null)
		td.append(h('span', { class: 'half', text:
		    `± ${format.half(half)}`, title: '95 % interval over ' +
		    `${point.reps} replications` }));
	return td;
}

function notes(point) {
	const list = [];
	const [steady] = STEADY[point.steady] || [];

	if (point.failed > 0)
		list.push(['bad', `${point.failed} failed`, point.message]);
	else if (point.reps === 0)
		list.push(['warn', 'not run', null]);
	if (steady && point.reps > 0)
		list.push(['warn', steady, STEADY[point.steady][1]]);
	return list;
}

function runsCell(point) {
	return h('td', { text: point.reps }, ...notes(point).map(
	    ([kind, text, why]) =>
		h('span', { class: `tag ${kind}`, text, title: why })));
}

/* What the signs in the table mean, those that it has. */
function explain(metrics) {
	const list = [];
	const failed = data.points.filter((p) => p.failed > 0);
	const rare = data.points.filter((p) => metrics.some((m) => isRare(p, m)));

	for (const [name, [text, why]] of Object.entries(STEADY)) {
		const n = data.points.filter((p) => p.reps > 0 &&
		    p.steady === name).length;

		if (n > 0)
			list.push([text, `${why} (${solab.number(n)})`]);
	}
	if (rare.length > 0)
		list.push(['*', 'fewer samples than a hundred above the ' +
		    `percentile (${solab.number(rare.length)})`]);
	for (const p of failed.slice(0, 5))
		list.push([`${p.failed} failed`, `${p.name}: ${p.message}`]);
	if (failed.length > 5)
		list.push(['', `and ${solab.number(failed.length - 5)} more ` +
		    'points with failed runs']);
	return h('dl', { class: 'signs' }, ...list.flatMap(([sign, why]) =>
	    [h('dt', { text: sign }), h('dd', { text: why })]));
}

function pickCell(point) {
	const box = h('input', { type: 'checkbox', 'aria-label':
		`draw ${point.name}`, disabled: point.reps === 0 });

	box.checked = solab.isSelected(point);
	return h('td', { class: 'pick' }, box, solab.stroke(point));
}

function summaryColumns(metrics) {
	const formats = new Map(metrics.map((m) => [m, solab.column(m,
	    data.points.map((p) => (p.metrics[m.name] || [null])[0]))]));

	return [
		{ text: '', cell: pickCell },
		...solab.columns.map((c) => ({ ...c, left: true,
			cell: (p) => h('td', { class: 'text', text: c.of(p),
			    title: p.label }) })),
		{ text: 'runs', title: 'replications, and what is wrong with ' +
			'them', cell: runsCell, key: (p) => p.reps +
			notes(p).map(([, text]) => text).join() },
		...metrics.map((m) => ({ text: solab.label(m),
			unit: formats.get(m).unit, title: m.help,
			key: (p) => (p.metrics[m.name] || [null])[0],
			cell: (p) => metricCell(p, m, formats.get(m)) })),
	];
}

function summaryCsv() {
	return { name: 'summary', header: ['id', 'scenario',
		...data.axes.map((a) => a.short), 'runs', 'failed', 'steady',
		...data.metrics.flatMap((m) => [m.name, `${m.name}_half`])],
	    rows: data.points.map((p) => [p.id,
		data.scenarios[p.scenario].name,
		...data.axes.map((a, i) => a.values[p.at[i]]), p.reps, p.failed,
		p.steady, ...data.metrics.flatMap((m) =>
		    p.metrics[m.name] || [null, null])]) };
}

function summaryRow(p) {
	const tr = h('tr', { class: solab.isSelected(p) ? 'pick' : 'pick off' });

	tr.addEventListener('click', () =>
	    solab.select(p, !solab.isSelected(p)));
	tr.addEventListener('pointerenter', () => solab.hover(p));
	tr.addEventListener('pointerleave', () => solab.hover(null));
	tr.point = p;
	return tr;
}

function summary(body) {
	const metrics = SHOWN.map(solab.metric).filter((m) => m &&
	    data.points.some((p) => (p.metrics[m.name] || [null])[0] !== null));
	const div = solab.panel(body, { id: 'summary-table', title: 'All points',
		note: 'Each metric over all replications together; ± half of ' +
		    'its 95 % interval. A heading sorts; a row draws its point, ' +
		    'or takes it away.', csv: summaryCsv });
	const find = h('input', { type: 'search', placeholder: 'find points',
		'aria-label': 'find points in the table' });
	const { element, fill } = solab.table(summaryColumns(metrics), () =>
	    data.points.filter((p) => solab.matches(p, find.value)),
	    { row: summaryRow, sticky: 1 + solab.columns.length });
	/* In place, lest what has the focus goes away. */
	const update = () => {
		for (const tr of element.querySelectorAll('tr.pick')) {
			const on = solab.isSelected(tr.point);

			tr.classList.toggle('off', !on);
			tr.querySelector('input').checked = on;
			tr.querySelector('.swatch').colour();
		}
	};

	find.addEventListener('input', fill);
	div.toolbar.prepend(find);
	div.append(element, explain(metrics));
	solab.on('select', update);
	solab.on('theme', update);
	solab.on('resize', fill);
}

solab.section('summary', 'Summary', (body) => {
	if (data.points.length === 0)
		body.append(h('p', { text: 'There is no point in this store.' }));
	else
		summary(body);
});

/* Counters a request of the selected points; the baseline makes them ratios. */

const COLUMNS = 12;

function counted() {
	const pinned = solab.baseline();
	const all = solab.selected().filter((p) => p.counters);
	const points = [...all.filter((p) => p === pinned),
		...all.filter((p) => p !== pinned)].slice(0, COLUMNS);
	const names = Object.keys(data.counters).filter((n) =>
	    points.some((p) => p.counters[n]));

	return { points, names, left: all.length - points.length,
	    pinned: points.includes(pinned) ? pinned : null,
	    of: (p, n) => p.counters[n] ? p.counters[n][1] : 0 };
}

function counterCell(p, n, pinned, of) {
	const [total] = p.counters[n] || [0];
	const td = h('td', { text: solab.number(of(p, n)),
		title: `${solab.number(total)} in all` });
	const change = pinned ? 100 * (of(p, n) / of(pinned, n) - 1) : 0;

	if (pinned && p !== pinned && of(p, n) !== of(pinned, n))
		td.append(h('span', { class: 'half', text: of(pinned, n) === 0 ?
		    'from 0' : `${change > 0 ? '+' : '−'}` +
		    `${solab.percent(Math.abs(change))}` }));
	return td;
}

function counters(div) {
	const { points, names, left, pinned, of } = counted();

	if (points.length === 0) {
		div.replaceChildren(h('p', { class: 'note',
			text: 'No selected point has counters.' }));
		return;
	}
	const { element } = solab.table([
		{ text: 'counter', left: true, key: (n) => n,
		    cell: (n) => h('td', { class: 'text what' },
			h('code', { text: n }),
			h('span', { class: 'half', text: data.counters[n] })) },
		...points.map((p) => ({ text: p.name, key: (n) => of(p, n),
			unit: p === pinned ? 'baseline' : null,
			cell: (n) => counterCell(p, n, pinned, of) })),
	], () => names, { sticky: 1 });

	element.classList.add('counters');
	div.replaceChildren(element, ...left > 0 ? [h('p', { class: 'note',
		text: `${left} more selected points are not shown.` })] : []);
}

if (data.points.some((p) => p.counters))
	solab.section('counters', 'Counters', (body) => {
		const div = solab.panel(body, { id: 'counters-table',
			title: 'Events a request',
			note: 'Drops, retries, messages, switches, and the ' +
			    'kernel\'s own statistics (tcps_...), of up to ' +
			    'twelve selected points. Those that are 0 are left ' +
			    'out. ⚑ in the legend makes a point the baseline.',
			csv: () => {
				const { points, names, of } = counted();

				return { name: 'counters', header: ['counter',
					...points.map((p) => p.label)],
					rows: names.map((n) => [n,
					    ...points.map((p) => of(p, n))]) };
			} });

		solab.redraw(div, () => counters(div));
	});

/* Where it came from. */

function sessions() {
	return h('div', {}, ...data.sessions.slice(0, ROWS).map((s) =>
	    h('div', { class: 'session' }, h('code', { text: s.command }),
		h('span', { class: 'half', text: [s.started.replace('T', ' ')
		    .replace('Z', ' UTC'), s.host, `solab ${s.version}`,
		    `SimGrid ${s.simgrid}`].filter(Boolean).join(', ') }))),
	    data.sessions.length > ROWS ? h('p', { class: 'note', text:
		`and ${solab.number(data.sessions.length - ROWS)} more` }) :
		null);
}

function pointTable() {
	const text = (t) => h('td', { class: 'text', text: t });

	return solab.table([
		{ text: 'point', key: (p) => p.id,
		    cell: (p) => h('td', { text: p.id }) },
		{ text: 'label', left: true, key: (p) => p.label,
		    cell: (p) => text(p.label) },
		{ text: 'seed', key: (p) => p.seed === undefined ? null : p.seed,
		    cell: (p) => h('td', { text: p.seed === undefined ? '–' :
			p.seed }) },
		{ text: 'warm-up', cell: (p) => h('td', {
			text: solab.time(p.warmup_ns) }) },
		{ text: 'measured', cell: (p) => h('td', {
			text: solab.time(p.measure_ns) }) },
		{ text: 'model', left: true, cell: (p) => h('td', {
			class: 'text' }, h('code', {
			text: data.models[p.model].slice(0, 16) })) },
		{ text: 'key', left: true, cell: (p) => h('td', { class: 'text' },
			h('code', { text: p.key.slice(0, 16) })) },
	], () => data.points).element;
}

solab.section('provenance', 'Provenance', (body) => {
	const fold = h('details', { class: 'fold' }, h('summary', { text:
		'Points: numbers, seeds, windows, keys' }));

	fold.addEventListener('toggle', () => {
		if (fold.open && fold.children.length === 1)
			fold.append(pointTable());
	});
	body.append(h('p', { class: 'note', text: 'The commands that wrote ' +
	    'this store. Any point can be run again from it, to the byte: ' +
	    'solab rerun DB POINT.' }),
	    h('details', { class: 'fold', open: data.sessions.length <= 3 },
		h('summary', { text: `Commands (${data.sessions.length})` }),
		sessions()), fold);
});
})();
