'use strict';
/*
 * What the sections of a report share: the data, which points are selected, and
 * the page itself. panel.js, legend.js and plot.js add to it.
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
const byId = new Map(data.points.map((p) => [p.id, p]));
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
	if (ns === 0)
		return '0';
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

const TIMES = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];

/*
 * How a column of a metric is written so that its numbers can be compared: one
 * unit, that of the middle one, and as many decimals as give the smallest four
 * digits, three at most.
 * Returns: {unit, text(x), half(x), plain(x)}; plain is a number in that unit.
 */
function column(metric, values) {
	const sizes = values.filter((x) => Number.isFinite(x) && x !== 0)
	    .map(Math.abs).sort((a, b) => a - b);
	const middle = sizes[Math.floor(sizes.length / 2)] || 0;
	const [by, unit] = metric.unit !== 'ns' ? [1, metric.unit] :
	    TIMES.find(([size]) => middle >= size) || [1, 'ns'];
	const whole = sizes.length > 0 ? Math.floor(Math.log10(sizes[0] / by)) : 0;
	const all = values.every((x) => !Number.isFinite(x) ||
	    Number.isInteger(x / by));
	const n = all ? 0 : Math.max(0, Math.min(3, 3 - whole));
	const fixed = (x, d) => (x / by).toLocaleString('en-US',
	    { minimumFractionDigits: d, maximumFractionDigits: d });
	const text = (x, d) => x !== 0 && Math.abs(x / by) < 0.5 / 10 ** d ?
	    String(Number((x / by).toPrecision(2))) : fixed(x, d);

	return { unit: unit === '1/s' ? '/s' : unit,
		text: (x) => Number.isFinite(x) ? text(x, n) : '–',
		half: (x) => text(x, n), plain: (x) => x / by };
}

/* Points, and what is selected of them. */

const LONG = 60;

/* Names that no table has room for lose their middle; data.axes has them. */
function brief(text) {
	const letters = [...text];

	return letters.length <= LONG ? text :
	    `${letters.slice(0, 40).join('')}…${letters.slice(-15).join('')}`;
}

for (const axis of data.axes) {
	axis.short = brief(axis.short);
	axis.values = axis.values.map(brief);
}

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
		parts.unshift(brief(data.scenarios[point.scenario].name));
	if (data.models.length > 1)
		parts.push(`model ${data.models[point.model].slice(0, 6)}`);
	return parts.join(' ') || brief(point.label) || `point ${point.id}`;
}

/*
 * What tells points apart, as columns of a table: {text, title, of(point),
 * key(point) to sort by}. One with their whole name if these are many.
 */
function columns() {
	const list = solab.factors.map(({ axis, i }) => ({
		text: axis.short, title: axis.path,
		of: (p) => p.at[i] < 0 ? '' : axis.values[p.at[i]],
		key: (p) => p.at[i] < 0 ? null :
		    axis.numbers ? axis.numbers[p.at[i]] : axis.values[p.at[i]],
	}));

	if (data.scenarios.length > 1)
		list.unshift({ text: 'scenario', title: 'whose point it is',
			of: (p) => brief(data.scenarios[p.scenario].name),
			key: (p) => data.scenarios[p.scenario].name });
	if (data.models.length > 1)
		list.push({ text: 'model', title: 'version of the model',
			of: (p) => data.models[p.model].slice(0, 6),
			key: (p) => p.model });
	if (list.length > 0 && list.length <= 4)
		return list;
	return [{ text: 'point', title: 'in the order of the store',
		of: (p) => p.name, key: (p) => p.id }];
}

/* A parameter of numbers goes from dark to light, to whatever eye. */
const RAMPS = {
	light: ['#2d1160', '#7a2382', '#c03a76', '#e2603f', '#c98500'],
	dark: ['#8468d8', '#c062c0', '#f0719a', '#ffa274', '#ffe48a'],
};

/* A colour between two or more, t being from 0 to 1. Returns: [r, g, b]. */
function blend(stops, t) {
	const at = Math.max(0, Math.min(1, t)) * (stops.length - 1);
	const i = Math.min(stops.length - 2, Math.floor(at));
	const part = (hex, k) => parseInt(hex.slice(1 + 2 * k, 3 + 2 * k), 16);

	return [0, 1, 2].map((k) => Math.round(part(stops[i], k) +
	    (part(stops[i + 1], k) - part(stops[i], k)) * (at - i)));
}

function ramp(t) {
	return `rgb(${blend(RAMPS[solab.isDark() ? 'dark' : 'light'], t)
	    .join(' ')})`;
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

/* What is drawn, and when it was last: stale until it is near the window. */
const drawn = [];

function refresh(view) {
	if (view.stale)
		view.fn();
	view.stale = false;
}

const watcher = new IntersectionObserver((entries) => {
	for (const { target, isIntersecting } of entries) {
		target.near = isIntersecting;
		if (isIntersecting)
			target.views.forEach(refresh);
	}
}, { rootMargin: '300px' });

const solab = {
	data, h, number, time, percent, value, half, css, digits, column, blend, brief,
	factors: differing(),
	maxCurves: MAX_CURVES,
	onPaper: false,

	isDark() {
		const theme = document.documentElement.dataset.theme;

		return theme ? theme === 'dark' :
		    matchMedia('(prefers-color-scheme: dark)').matches;
	},
	/* A metric's name for people. */
	label(metric) {
		return metric.label.replaceAll('_', ' ')
		    .replace(/ p999\b/, ' p99.9');
	},
	metric(of) {
		return data.metrics.find((m) => m.name === of);
	},
	point(id) {
		return byId.get(id);
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
	/* Returns: false when there are as many as can be told apart, or no run. */
	select(point, on) {
		if (on && (point.reps === 0 ||
		    chosen.size >= MAX_CURVES && !chosen.has(point.id)))
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
		for (const point of points.filter((p) => p.reps > 0)
		    .slice(0, MAX_CURVES))
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
	/* Draw now, and again when something changed and it can be seen. */
	redraw(div, fn) {
		const view = { fn, stale: false };

		fn();
		if (!div.views) {
			div.views = [];
			div.near = true;
			watcher.observe(div);
		}
		div.views.push(view);
		drawn.push(view);
		for (const event of Object.keys(listeners))
			solab.on(event, () => {
				view.stale = true;
				if (div.near)
					refresh(view);
			});
	},
	section(id, title, build, brief) {
		sections.push({ id, title, build, brief });
	},
};
window.solab = solab;

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
		`${number(data.points.length)} points, ${number(runs)} runs` +
		(failed > 0 ? `, ${number(failed)} failed` : '') +
		`; solab ${data.program}, SimGrid ${data.simgrid}` }),
	    shared(), doubts());
}

/* Parameters that were set, and are the same at all points. */
solab.shared = data.axes.filter((axis) => axis.values.length === 1)
    .map((axis) => `${axis.short}=${axis.values[0]}`);

function shared() {
	return solab.shared.length === 0 ? null : h('p', { class: 'note',
		text: `All points: ${solab.shared.join(' ')}` });
}

const LITTLE_PCT = 5;

/* Waits that began before the measurement, or end after it, are not in it. */
function doubts() {
	const off = data.points.filter((p) => p.metrics.littles_law_error_pct &&
	    p.metrics.littles_law_error_pct[0] > LITTLE_PCT);

	return off.length === 0 ? null : h('p', { class: 'warn',
		text: `${number(off.length)} of ${number(data.points.length)} ` +
		`points: Little's law is more than ${LITTLE_PCT} % off, so long ` +
		'waits (retries of dropped SYNs) are not all in what was ' +
		'measured. Throughput and the tool\'s latency may be right; ' +
		'the cycle and its connect-wait are not. Measure for longer.' });
}

function navigation(list) {
	return h('nav', { 'aria-label': 'sections' }, ...list.map((s) =>
	    h('a', { href: `#${s.id}`, text: s.brief || s.title })));
}

function build(section) {
	if (section.built)
		return;
	section.built = true;
	section.body.replaceChildren();
	section.body.classList.remove('waiting');
	section.build(section.body);
}

/* Paper is light and as wide as a page is; what was not yet drawn is now. */
let before = null;

function toPaper(list) {
	const root = document.documentElement;
	const fold = document.getElementById('legend');

	if (before)
		return;
	before = { theme: root.dataset.theme, open: fold.open };
	root.dataset.theme = 'light';
	root.classList.add('printing');
	solab.onPaper = true;
	fold.open = true;
	list.forEach(build);
	redrawAll();
}

/* At once, wherever the window is. */
function redrawAll() {
	for (const fn of listeners.theme)
		fn();
	drawn.forEach(refresh);
}

function fromPaper() {
	const root = document.documentElement;

	if (!before)
		return;
	root.classList.remove('printing');
	solab.onPaper = false;
	if (before.theme)
		root.dataset.theme = before.theme;
	else
		delete root.dataset.theme;
	document.getElementById('legend').open = before.open;
	before = null;
	redrawAll();
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
	solab.columns = columns();
	page.append(header(), navigation(list),
	    h('div', { class: 'columns' },
		h('aside', {}, solab.legend()), content));
	addEventListener('beforeprint', () => toPaper(list));
	addEventListener('afterprint', fromPaper);
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
