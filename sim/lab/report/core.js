'use strict';
/*
 * What the sections of a report share: the data, which points are selected, the
 * panels that charts are drawn in, and one way to plot curves.
 *
 * A section registers itself (solab.section) if there is data for it, and is
 * built when it comes near the window, so that the page opens fast.
 */
(() => {
const data = JSON.parse(document.getElementById('data').textContent);
const page = document.getElementById('page');
const sections = [];
const listeners = { select: [], theme: [], resize: [] };
const MAX_CURVES = 40;
const DASHES = [null, [7, 3], [2, 2], [9, 3, 2, 3], [12, 4]];
const ORDER = ['summary', 'latency', 'stages', 'sweep', 'heat', 'series',
	'cpu', 'costs', 'tokens', 'listeners', 'timeline', 'graph',
	'published', 'counters', 'provenance'];

const chosen = new Set();
let pinned = null;

/* Elements and texts. Attributes: class, text, and plain ones. */

function h(tag, attrs, ...children) {
	const element = document.createElement(tag);

	for (const [name, value] of Object.entries(attrs || {})) {
		if (name === 'text')
			element.textContent = value;
		else if (name === 'class')
			element.className = value;
		else if (value === true)
			element.setAttribute(name, '');
		else if (value !== false && value !== null &&
		    value !== undefined)
			element.setAttribute(name, value);
	}
	element.append(...children.filter(
	    (child) => child !== null && child !== undefined));
	return element;
}

/* Numbers for people. */

function digits(x, n) {
	return x.toLocaleString('en-US',
	    { minimumFractionDigits: 0, maximumFractionDigits: n });
}

function number(x) {
	if (x === null || x === undefined || !Number.isFinite(x))
		return '–';
	const size = Math.abs(x);

	if (size >= 1000 || Number.isInteger(x))
		return digits(x, 0);
	if (size >= 100)
		return digits(x, 1);
	if (size >= 1)
		return digits(x, 2);
	return size === 0 ? '0' : String(Number(x.toPrecision(3)));
}

function time(ns) {
	if (ns === null || ns === undefined || !Number.isFinite(ns))
		return '–';
	const size = Math.abs(ns);
	const unit = size >= 1e9 ? [1e9, 's'] : size >= 1e6 ? [1e6, 'ms'] :
	    size >= 1e3 ? [1e3, 'µs'] : [1, 'ns'];
	const x = ns / unit[0];

	return `${Number(x.toPrecision(Math.abs(x) >= 1000 ? 6 : 4))} ${unit[1]}`;
}

function percent(x) {
	if (x === null || x === undefined || !Number.isFinite(x))
		return '–';
	return `${Math.abs(x) >= 10 ? x.toFixed(1) : x.toFixed(2)} %`;
}

/* Half of an interval, in the unit that its middle is printed in. */
function half(metric, x, of) {
	if (x === null || !Number.isFinite(x))
		return '';
	if (metric.unit !== 'ns')
		return number(x);
	const unit = Math.abs(of) >= 1e9 ? 1e9 : Math.abs(of) >= 1e6 ? 1e6 :
	    Math.abs(of) >= 1e3 ? 1e3 : 1;

	return String(Number((x / unit).toPrecision(2)));
}

function value(metric, x) {
	if (metric.unit === 'ns')
		return time(x);
	if (metric.unit === '%')
		return percent(x);
	return metric.unit === '1/s' ? `${number(x)}/s` : number(x);
}

/* Points, and what is selected of them. */

function differing() {
	return data.axes.map((axis, i) => ({ axis, i }))
	    .filter(({ i }) => new Set(data.points.map((p) => p.at[i])).size > 1);
}

/*
 * Names of a point without what all points have; the scenario's name where
 * there are several.
 */
function name(point) {
	const parts = solab.factors.filter(({ i }) => point.at[i] >= 0)
	    .map(({ axis, i }) => `${axis.short}=${axis.values[point.at[i]]}`);

	if (data.scenarios.length > 1)
		parts.unshift(data.scenarios[point.scenario].name);
	if (data.models.length > 1)
		parts.push(`model ${data.models[point.model].slice(0, 6)}`);
	return parts.join(' ') || point.label || `point ${point.id}`;
}

function ramp(t) {
	const dark = solab.isDark();
	const hue = 275 - 255 * t;
	const light = (dark ? 66 : 44) - 8 * Math.sin(Math.PI * t);

	return `hsl(${hue.toFixed(0)} 72% ${light.toFixed(0)}%)`;
}

/*
 * Colour by the parameter with the most values, which is a ramp for numbers;
 * dash by the next one.
 */
function paint() {
	const factors = [...solab.factors].sort(
	    (a, b) => b.axis.values.length - a.axis.values.length);
	const [main, second] = factors;

	data.points.forEach((point, n) => {
		const at = main ? point.at[main.i] : n;
		const of = main ? main.axis.values.length : data.points.length;

		Object.defineProperty(point, 'colour', {
			configurable: true,
			get: () => main && main.axis.numbers && of > 2 || of > 10 ?
			    ramp(at / Math.max(1, of - 1)) :
			    css(`--c${Math.max(0, at) % 10}`),
		});
		point.dash = second ?
		    DASHES[Math.max(0, point.at[second.i]) % DASHES.length] : null;
		point.name = name(point);
	});
}

function choose() {
	const usable = data.points.filter((p) => p.reps > 0);
	const known = new Set(data.published.map((q) => q.point));
	const few = usable.length <= 8 ? usable :
	    usable.filter((p) => known.has(p.id));
	const some = few.length > 0 && few.length <= MAX_CURVES ? few :
	    usable.filter((p, i) =>
		Math.floor(i * 8 / usable.length) !==
		Math.floor((i - 1) * 8 / usable.length));

	for (const point of some)
		chosen.add(point.id);
}

function css(property) {
	return getComputedStyle(document.documentElement)
	    .getPropertyValue(property).trim();
}

let pending = new Set();

/* Once a frame, whatever happened how often. */
function tell(event) {
	if (pending.size === 0)
		requestAnimationFrame(() => {
			const events = pending;

			pending = new Set();
			for (const each of events)
				for (const fn of listeners[each])
					fn();
		});
	pending.add(event);
}

const solab = {
	data, h, number, time, percent, value, half, css, digits,
	factors: differing(),
	maxCurves: MAX_CURVES,

	isDark() {
		const theme = document.documentElement.dataset.theme;

		return theme ? theme === 'dark' :
		    matchMedia('(prefers-color-scheme: dark)').matches;
	},
	metric(of) {
		return data.metrics.find((m) => m.name === of);
	},
	point(id) {
		return data.points.find((p) => p.id === id);
	},
	isSelected(point) {
		return chosen.has(point.id);
	},
	selected() {
		return data.points.filter((p) => chosen.has(p.id) && p.reps > 0);
	},
	baseline() {
		return pinned === null ? null : solab.point(pinned);
	},
	/* Returns: false when there are as many curves as can be told apart. */
	select(point, on) {
		if (on && chosen.size >= MAX_CURVES && !chosen.has(point.id))
			return false;
		if (on)
			chosen.add(point.id);
		else
			chosen.delete(point.id);
		tell('select');
		return true;
	},
	selectOnly(points) {
		chosen.clear();
		for (const point of points.slice(0, MAX_CURVES))
			chosen.add(point.id);
		tell('select');
	},
	pin(point) {
		pinned = pinned === point.id ? null : point.id;
		if (pinned !== null)
			solab.select(point, true);
		tell('select');
	},
	on(event, fn) {
		listeners[event].push(fn);
	},
	redraw(div, fn) {
		fn();
		for (const event of Object.keys(listeners))
			solab.on(event, fn);
	},
	section(id, title, build) {
		sections.push({ id, title, build });
	},
};
window.solab = solab;

/* A file for the reader. Cells with commas or quotes are quoted. */
solab.csv = (file, header, rows) => {
	const cell = (x) => x === null || x === undefined ? '' :
	    /[",\n\r]/.test(String(x)) ?
	    `"${String(x).replaceAll('"', '""')}"` : String(x);
	const text = [header, ...rows].map((row) => row.map(cell).join(','))
	    .join('\r\n');

	solab.save(`${file}.csv`, `${text}\r\n`, 'text/csv;charset=utf-8');
};

solab.save = (file, text, type) => {
	const url = URL.createObjectURL(new Blob([text], { type }));
	const link = h('a', { href: url, download: file });

	document.body.append(link);
	link.click();
	link.remove();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
};

/* A chart with its title, its tools, and a line that says how to read it. */
solab.panel = (body, { id, title, note, csv }) => {
	const tools = h('div', { class: 'tools' });
	const chart = h('div', { class: 'chart', role: 'group',
		'aria-label': title });
	const panel = h('figure', { class: 'panel', id },
	    h('figcaption', {}, h('h3', { text: title }), tools,
		note ? h('p', { class: 'note', text: note }) : null),
	    chart);

	if (csv)
		tools.append(solab.button('CSV', () => {
			const { name: file, header, rows } = csv();

			solab.csv(file, header, rows);
		}, `download what "${title}" shows, as CSV`));
	body.append(panel);
	chart.toolbar = tools;
	return chart;
};

solab.button = (text, click, hint) => {
	const button = h('button', { type: 'button', text, title: hint });

	button.addEventListener('click', click);
	return button;
};

/* options: [[value, text], ...]. change(value) is called when it does. */
solab.choice = (label, options, initial, change) => {
	const select = h('select', {}, ...options.map(([v, text]) =>
	    h('option', { value: v, text, selected: v === initial })));

	select.addEventListener('change', () => change(select.value));
	return h('label', { class: 'choice' }, `${label} `, select);
};

solab.check = (label, on, change) => {
	const box = h('input', { type: 'checkbox', checked: on });

	box.addEventListener('change', () => change(box.checked));
	return h('label', { class: 'choice' }, box, ` ${label}`);
};

/* A canvas as wide as its place, in device pixels; it is empty. */
solab.canvas = (div, height) => {
	const width = Math.max(200, div.clientWidth);
	const scale = window.devicePixelRatio || 1;
	let canvas = div.querySelector(':scope > canvas');

	if (!canvas) {
		canvas = h('canvas');
		div.append(canvas);
	}
	canvas.width = Math.round(width * scale);
	canvas.height = Math.round(height * scale);
	canvas.style.width = `${width}px`;
	canvas.style.height = `${height}px`;
	const ctx = canvas.getContext('2d');

	ctx.scale(scale, scale);
	ctx.font = `12px ${css('--font')}`;
	return { ctx, width, height, canvas };
};

/* A note at the pointer: lines of text; none hides it. */
const tip = h('div', { class: 'tip', hidden: true });

solab.tip = (e, ...lines) => {
	if (!tip.isConnected)
		document.body.append(tip);
	tip.hidden = lines.length === 0;
	if (tip.hidden)
		return;
	tip.replaceChildren(...lines.map((line) => h('div', { text: line })));
	const x = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 4);
	const y = e.clientY + 16 + tip.offsetHeight > innerHeight ?
	    e.clientY - tip.offsetHeight - 10 : e.clientY + 16;

	tip.style.left = `${Math.max(2, x)}px`;
	tip.style.top = `${Math.max(2, y)}px`;
};

/*
 * Things drawn in a canvas that say what they are when the pointer is on them.
 * div.things: [{x, y, w, h, lines}], of the last drawing.
 */
solab.hoverable = (div) => {
	div.addEventListener('pointermove', (e) => {
		const box = div.querySelector('canvas').getBoundingClientRect();
		const x = e.clientX - box.left, y = e.clientY - box.top;
		const on = (div.things || []).find((t) => x >= t.x &&
		    x < t.x + t.w && y >= t.y && y < t.y + t.h);

		solab.tip(e, ...(on ? on.lines : []));
	});
	div.addEventListener('pointerleave', (e) => solab.tip(e));
};

/* Colours and their meanings: [{colour, name, hatched}]. */
solab.key = (div, items) => {
	div.className = 'key';
	div.replaceChildren(...items.map((item) => {
		const box = h('span', { class: 'box' });

		box.style.backgroundColor = item.colour;
		box.style.opacity = item.faint ? 0.45 : 1;
		return h('span', { class: 'item' }, box, item.name);
	}));
};

/* The legend: a table of all points that filters, toggles and pins. */

const LEGEND_ROWS = 500;

function swatch(point) {
	const line = h('span', { class: 'swatch' });
	const colour = () => {
		line.style.borderTopColor = point.colour;
		line.style.borderTopStyle = point.dash ? 'dashed' : 'solid';
	};

	colour();
	solab.on('theme', colour);
	return line;
}
solab.swatch = swatch;

function legendRow(point) {
	const box = h('input', { type: 'checkbox', id: `pick-${point.id}`,
		checked: chosen.has(point.id), disabled: point.reps === 0 });
	const pin = solab.button('⚑', () => solab.pin(point),
	    'compare the others with this point');
	const row = h('tr', {}, h('td', {}, box), h('td', {}, swatch(point)),
	    h('td', {}, h('label', { for: `pick-${point.id}`,
		text: point.name, title: point.label })),
	    h('td', {}, pin));

	pin.className = 'pin';
	pin.setAttribute('aria-label', `baseline: ${point.name}`);
	box.addEventListener('change', () => {
		if (!solab.select(point, box.checked))
			box.checked = false;
	});
	row.addEventListener('pointerenter', () => solab.hover(point));
	row.addEventListener('pointerleave', () => solab.hover(null));
	row.update = () => {
		box.checked = chosen.has(point.id);
		pin.setAttribute('aria-pressed', pinned === point.id);
		row.classList.toggle('pinned', pinned === point.id);
	};
	row.point = point;
	row.update();
	return row;
}

/* Words that must all be in a point's label. */
solab.matches = (point, text) => {
	const label = `${point.label} ${point.name} ${point.id}`.toLowerCase();

	return text.toLowerCase().split(/\s+/).every((w) => label.includes(w));
};

function legend() {
	const rows = data.points.slice(0, LEGEND_ROWS).map(legendRow);
	const body = h('tbody', {}, ...rows);
	const filter = h('input', { type: 'search', id: 'find',
		placeholder: 'find points: object=1KiB', 'aria-label':
		'find points' });
	const state = h('p', { class: 'note', 'aria-live': 'polite' });
	const shown = () => data.points.filter((p) =>
	    p.reps > 0 && solab.matches(p, filter.value));
	const update = () => {
		const n = chosen.size, of = data.points.length;

		for (const row of rows)
			row.update();
		state.textContent = `${n} of ${of} points drawn` +
		    (n >= MAX_CURVES ? `, the most that can be` : '') +
		    (of > LEGEND_ROWS ? `; ${LEGEND_ROWS} are listed` : '');
	};

	filter.addEventListener('input', () => {
		for (const row of rows)
			row.hidden = !solab.matches(row.point, filter.value);
	});
	solab.on('select', update);
	update();
	return h('details', { id: 'legend', class: 'legend', open: true },
	    h('summary', { text: 'Points' }), filter,
	    h('div', { class: 'tools' },
		solab.button('all', () => solab.selectOnly(shown()),
		    'draw all that the filter shows'),
		solab.button('none', () => solab.selectOnly([]), 'draw none')),
	    state,
	    h('div', { class: 'scroll' }, h('table', {}, body)));
}

/* Which curve to bring forward: plots look at it when told. */
const hoverers = [];

solab.hover = (point) => {
	for (const fn of hoverers)
		fn(point);
};

/*
 * Curves over a plane, by dygraphs. Its legend writes style attributes, which the
 * page's policy refuses; ours is beside the charts.
 */
Dygraph.PLUGINS = Dygraph.PLUGINS.filter((p) => p !== Dygraph.Plugins.Legend);

const pow = (k) => 10 ** k;

/* Decades, and 2 and 5 between them when there is room. */
function logTicks(low, high, room, label) {
	const ticks = [];
	const many = room / Math.max(0.3, high - low);

	for (let k = Math.floor(low); k <= Math.ceil(high); k++)
		for (const m of many > 110 ? [1, 2, 5] : [1]) {
			const v = k + Math.log10(m);

			if (v >= low - 1e-9 && v <= high + 1e-9 &&
			    (many > 28 || k % 2 === 0))
				ticks.push({ v, label: label(pow(k) * m) });
		}
	return ticks;
}

function plainTicks(low, high, room, label) {
	const rough = (high - low) / Math.max(2, room / 70);
	const base = pow(Math.floor(Math.log10(rough)));
	const step = [1, 2, 5, 10].map((m) => m * base).find((s) => s >= rough);
	const ticks = [];

	/* Plus 0, for there is a -0 too. */
	for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step / 1e6;
	    i++)
		ticks.push({ v: i * step, label: label(i * step + 0) });
	return ticks;
}

/* Those that do not run into the one before, the first and the last at least. */
function spaced(ticks, low, high, room) {
	const scale = room / (high - low);
	const kept = [];

	for (const tick of ticks) {
		const before = kept[kept.length - 1];
		const width = 3.5 * (tick.label.length +
		    (before ? before.label.length : 0)) + 8;

		if (!before || (tick.v - before.v) * scale > width)
			kept.push(tick);
	}
	return kept;
}

/* dygraphs takes labels for HTML; ours are texts, of others. */
const html = (text) => `${text}`.replace(/[&<>"']/g,
    (c) => `&#${c.charCodeAt(0)};`);

/* An axis: {label, log, format, ticks: [[value, text], ...]}. */
function ticker(axis) {
	return (low, high, room) => ticksOf(axis, low, high, room)
	    .map(({ v, label }) => ({ v, label: html(label) }));
}

function ticksOf(axis, low, high, room) {
	return axis.ticks ?
	    spaced(axis.ticks.filter(([v]) => v >= low - 1e-9 &&
		v <= high + 1e-9).map(([v, label]) => ({ v, label })),
		low, high, room) :
	    (axis.log ? logTicks : plainTicks)(low, high, room,
		axis.short || axis.format);
}

function edge(fy, y, by, mid) {
	const at = Number.isFinite(by) ? fy(y + by) : mid;

	return Number.isFinite(at) ? at : mid;
}

function rowsOf(curves, fx, fy, bands) {
	const rows = new Map();

	curves.forEach((curve, i) => {
		for (const [x, y, half] of curve.points) {
			const at = fx(x);

			if (!Number.isFinite(at))
				continue;
			/* What has no place is a gap. */
			const mid = Number.isFinite(fy(y)) ? fy(y) : NaN;

			if (!rows.has(at))
				rows.set(at, [at, ...curves.map(() =>
				    bands ? [null, null, null] : null)]);
			rows.get(at)[i + 1] = bands ?
			    [edge(fy, y, -half, mid), mid, edge(fy, y, half, mid)] :
			    mid;
		}
	});
	return [...rows.values()].sort((a, b) => a[0] - b[0]);
}

/*
 * spec: {height, x, y, curves: [{name, colour, dash, bold, points: [[x, y,
 * half-width]], point}], marks: [{x, y, text, colour}], steps, dots, bands}.
 * What is not positive has no place on a logarithmic axis and is left out.
 * Returns: nothing; div.graph is the Dygraph, for tests and for synchronising.
 */
solab.plot = (div, spec) => {
	const fx = spec.x.log ? (v) => v > 0 ? Math.log10(v) : NaN : (v) => v;
	const fy = spec.y.log ? (v) => v > 0 ? Math.log10(v) : NaN : (v) => v;
	const rows = rowsOf(spec.curves, fx, fy, spec.bands);
	const window_ = div.graph && div.graph.isZoomed() &&
	    div.sameAxes === `${spec.x.log}${spec.y.log}` ?
	    { dateWindow: div.graph.xAxisRange(),
		valueRange: div.graph.yAxisRange() } : {};
	let place = div.querySelector(':scope > .plot');

	if (div.graph)
		div.graph.destroy();
	div.graph = null;
	div.sameAxes = `${spec.x.log}${spec.y.log}`;
	if (!place) {
		place = h('div', { class: 'plot', tabindex: 0 });
		div.append(place, h('div', { class: 'readout',
			'aria-live': 'off' }));
		place.addEventListener('keydown', (e) => keys(div, e));
	}
	place.style.height = `${spec.height || 320}px`;
	place.classList.toggle('empty', rows.length === 0);
	place.setAttribute('aria-label', `${spec.y.label} over ${spec.x.label}: ` +
	    `${spec.curves.length} curves. Arrow keys, + and - zoom, 0 resets.`);
	div.lastChild.replaceChildren();
	if (rows.length === 0) {
		place.replaceChildren(h('p', { class: 'note',
			text: spec.curves.length === 0 ? 'No point is selected.' :
			    'There is nothing to draw.' }));
		return;
	}
	place.replaceChildren();
	div.graph = new Dygraph(place, rows, {
		labels: ['x', ...spec.curves.map((c, i) => `${i}`)],
		colors: spec.curves.map((c) => c.colour),
		series: Object.fromEntries(spec.curves.map((c, i) => [`${i}`, {
			strokePattern: c.dash || null,
			strokeWidth: c.bold ? 3 : 1.5,
		}])),
		customBars: Boolean(spec.bands),
		fillAlpha: 0.15,
		stepPlot: Boolean(spec.steps),
		drawPoints: Boolean(spec.dots),
		pointSize: 3,
		connectSeparatedPoints: true,
		legend: 'never',
		labelsDiv: h('div'),
		showLabelsOnHighlight: false,
		axisLabelFontSize: 12,
		axisLineColor: css('--grid'),
		gridLineColor: css('--grid'),
		xRangePad: 6,
		yRangePad: 10,
		highlightCircleSize: 4,
		highlightSeriesBackgroundAlpha: 1,
		highlightSeriesOpts: { strokeWidth: 3 },
		xlabel: html(spec.x.label), ylabel: html(spec.y.label),
		xLabelHeight: 16, yLabelWidth: 16,
		axes: {
			x: { ticker: ticker(spec.x), axisLabelFormatter: String },
			y: { ticker: ticker(spec.y), axisLabelFormatter: String,
				axisLabelWidth: 84 },
		},
		highlightCallback: (e, x, points, row, of) =>
		    readout(div, spec, x, points, of),
		unhighlightCallback: () => div.lastChild.replaceChildren(),
		drawCallback: (g, initial) => {
			if (spec.drawn)
				spec.drawn(g, initial);
		},
		underlayCallback: (ctx, area, g) =>
		    marks(ctx, area, g, spec, fx, fy),
		...window_,
	});
	place.setAttribute('role', 'img');
	if (!div.hovered) {
		div.hovered = true;
		hoverers.push((point) => bring(div, point));
	}
	div.spec = spec;
};

/* The curve of a point, from its row in the legend. */
function bring(div, point) {
	if (!div.graph || !div.spec)
		return;
	const i = div.spec.curves.findIndex((c) => c.point && point &&
	    c.point.id === point.id);

	if (i < 0)
		div.graph.clearSelection();
	else
		div.graph.setSelection(0, `${i}`, false);
}

function marks(ctx, area, g, spec, fx, fy) {
	ctx.save();
	ctx.lineWidth = 1.5;
	for (const mark of spec.marks || []) {
		const x = g.toDomXCoord(fx(mark.x)), y = g.toDomYCoord(fy(mark.y));

		if (!(x >= area.x && x <= area.x + area.w && y >= area.y &&
		    y <= area.y + area.h))
			continue;
		ctx.strokeStyle = mark.colour;
		ctx.fillStyle = css('--bg');
		ctx.beginPath();
		ctx.moveTo(x, y - 6);
		ctx.lineTo(x + 6, y);
		ctx.lineTo(x, y + 6);
		ctx.lineTo(x - 6, y);
		ctx.closePath();
		ctx.fill();
		ctx.stroke();
	}
	ctx.restore();
}

/* Under the chart: where the pointer is, and the curves there. */
function readout(div, spec, x, points, of) {
	const back = spec.x.log ? pow(x) : x;
	const list = points.filter((p) => Number.isFinite(p.yval))
	    .map((p) => ({ curve: spec.curves[Number(p.name)], name: p.name,
		y: spec.y.log ? pow(p.yval) : p.yval }))
	    .sort((a, b) => b.y - a.y);
	const near = (spec.marks || []).filter((m) =>
	    Math.abs((spec.x.log ? Math.log10(m.x) : m.x) - x) <
	    (div.graph.xAxisRange()[1] - div.graph.xAxisRange()[0]) / 60);

	div.lastChild.replaceChildren(
	    h('b', { text: (spec.x.format || String)(back) }),
	    ...list.slice(0, 12).map(({ curve, name: n, y }) => {
		    const mark = h('span', { class: 'swatch' });

		    mark.style.borderTopColor = curve.colour;
		    mark.style.borderTopStyle = curve.dash ? 'dashed' : 'solid';
		    return h('span', { class: n === of ? 'item near' : 'item' },
			mark, `${curve.name} `,
			h('b', { text: spec.y.format(y) }));
	    }),
	    list.length > 12 ? h('span', { class: 'item',
		    text: `and ${list.length - 12} more` }) : null,
	    ...near.map((m) => h('span', { class: 'item', text: `◇ ${m.text}` })));
}

/* Zoom and move by keys, as by the pointer. */
function keys(div, e) {
	const g = div.graph;

	if (!g || e.ctrlKey || e.metaKey || e.altKey)
		return;
	const [low, high] = g.xAxisRange(), w = high - low;
	const windows = {
		ArrowLeft: [low - w / 8, high - w / 8],
		ArrowRight: [low + w / 8, high + w / 8],
		'+': [low + w / 6, high - w / 6],
		'=': [low + w / 6, high - w / 6],
		'-': [low - w / 4, high + w / 4],
	};

	if (e.key === '0')
		g.resetZoom();
	else if (windows[e.key])
		g.updateOptions({ dateWindow: windows[e.key] });
	else
		return;
	e.preventDefault();
}

/* The page. */

function header() {
	const used = data.scenarios.filter((s, i) =>
	    data.points.some((p) => p.scenario === i));
	const runs = data.points.reduce((n, p) => n + p.reps, 0);
	const failed = data.points.reduce((n, p) => n + p.failed, 0);
	const theme = solab.button('◐', () => {
		document.documentElement.dataset.theme =
		    solab.isDark() ? 'light' : 'dark';
		tell('theme');
	}, 'light or dark');

	theme.setAttribute('aria-label', 'light or dark');
	return h('header', {},
	    h('div', { class: 'tools' }, theme),
	    ...(used.length > 0 ? used : [{ name: data.store, title: '' }])
		.map((s) => h('div', {},
		    h('h1', { text: s.title || s.name }),
		    s.source ? h('p', { class: 'source', text: s.source }) : null)),
	    h('p', { class: 'note', text: `${data.store}: ` +
		`${data.points.length} points, ${number(runs)} runs` +
		(failed > 0 ? `, ${failed} failed` : '') +
		`; solab ${data.program}, SimGrid ${data.simgrid}` }));
}

function navigation(list) {
	return h('nav', { 'aria-label': 'sections' }, ...list.map((s) =>
	    h('a', { href: `#${s.id}`, text: s.title })));
}

function build(section) {
	if (section.built)
		return;
	section.built = true;
	section.body.replaceChildren();
	section.body.classList.remove('waiting');
	section.build(section.body);
}

solab.start = () => {
	const list = [...sections].sort(
	    (a, b) => ORDER.indexOf(a.id) - ORDER.indexOf(b.id));
	const observer = new IntersectionObserver((entries) => {
		for (const entry of entries)
			if (entry.isIntersecting)
				build(entry.target.section);
	}, { rootMargin: '300px' });
	const content = h('div', { class: 'content' }, ...list.map((section) => {
		section.body = h('div', { class: 'body waiting' });
		const element = h('section', { id: section.id },
		    h('h2', { text: section.title }), section.body);

		element.section = section;
		observer.observe(element);
		return element;
	}));

	choose();
	paint();
	page.append(header(), navigation(list),
	    h('div', { class: 'columns' },
		h('aside', {}, legend()), content));
	addEventListener('beforeprint', () => list.forEach(build));
	matchMedia('(prefers-color-scheme: dark)')
	    .addEventListener('change', () => tell('theme'));
	let width = innerWidth;

	addEventListener('resize', () => {
		if (innerWidth !== width) {
			width = innerWidth;
			tell('resize');
		}
	});
	if (innerWidth < 800)
		document.getElementById('legend').open = false;
};
document.addEventListener('DOMContentLoaded', solab.start);
})();
