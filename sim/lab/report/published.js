'use strict';
/* Published values beside simulated ones: the error, and what it may be. */
(() => {
const { data, h } = solab;

if (data.published.length === 0)
	return;

/* The error on a scale of one tolerance to each side. */
function gauge(q) {
	const canvas = h('canvas', { class: 'gauge', 'aria-hidden': 'true' });

	if (!(q.tolerance_pct > 0) || q.error_pct === null)
		return null;
	const draw = () => {
		const scale = window.devicePixelRatio || 1, w = 96, y = 14;

		canvas.width = w * scale;
		canvas.height = y * scale;
		canvas.style.width = `${w}px`;
		canvas.style.height = `${y}px`;
		const ctx = canvas.getContext('2d');
		const part = q.error_pct / q.tolerance_pct;
		const at = w / 2 + Math.max(-1.4, Math.min(1.4, part)) * w / 3;

		ctx.scale(scale, scale);
		ctx.fillStyle = solab.css('--grid');
		ctx.fillRect(w / 6, 5, w * 2 / 3, 4);
		ctx.fillStyle = solab.css('--muted');
		ctx.fillRect(w / 2 - 0.5, 1, 1, 12);
		ctx.fillStyle = solab.css(q.ok ? '--good' : '--bad');
		ctx.beginPath();
		/* Off the scale: an arrow that points there. */
		if (Math.abs(part) > 1.4) {
			ctx.moveTo(at + Math.sign(part) * 6, 7);
			ctx.lineTo(at - Math.sign(part) * 2, 2);
			ctx.lineTo(at - Math.sign(part) * 2, 12);
		} else {
			ctx.arc(at, 7, 4, 0, 7);
		}
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
	return h('td', { class: 'text wide' },
	    h('span', { class: 'bad', text: q.missed ? 'known miss' : 'MISS' }),
	    q.missed ? h('span', { class: 'half', text: q.missed }) : null);
}

function metricOf(q) {
	const metric = solab.metric(q.metric) ||
	    { label: q.metric, unit: '', help: '' };

	return q.ratio_to === null ? metric : { ...metric, unit: '%',
		label: `${metric.label}, gain over ${q.ratio_to}` };
}

/* Of percentages, the error is in points. */
function share(q, x) {
	return x === null ? '–' :
	    `${x} ${metricOf(q).unit === '%' ? 'points' : '%'}`;
}

function signed(q) {
	if (q.error_pct === null)
		return '–';
	return share(q, `${q.error_pct < 0 ? '−' : '+'}` +
	    Math.abs(q.error_pct).toFixed(2));
}

function simulated(q) {
	const metric = metricOf(q);
	const td = h('td', { text: solab.value(metric, q.simulated) });

	if (q.half !== null && q.half !== undefined && q.simulated !== null)
		td.append(h('span', { class: 'half',
			text: `± ${solab.half(metric, q.half, q.simulated)}`,
			title: '95 % interval over the replications' }));
	return td;
}

const ORDER = (q) => q.ok === null ? 3 : q.ok ? 2 : q.missed ? 1 : 0;
const COLUMNS = [
	{ text: 'where', left: true, key: (q) => q.where,
	    cell: (q) => h('td', { class: 'text', text: solab.brief(q.where),
		title: q.where }) },
	{ text: 'metric', left: true, key: (q) => q.metric,
	    cell: (q) => h('td', { class: 'text',
		text: solab.label(metricOf(q)) }) },
	{ text: 'published', key: (q) => q.value,
	    cell: (q) => h('td', { text:
		solab.value(metricOf(q), q.value) }) },
	{ text: 'simulated', key: (q) => q.simulated, cell: simulated },
	{ text: 'error', title: 'sorts by its size', key: (q) =>
		q.error_pct === null ? null : Math.abs(q.error_pct),
	    cell: (q) => h('td', { text: signed(q) }) },
	{ text: 'of the tolerance', title: 'sorts by the share that is used',
	    key: (q) => q.tolerance_pct > 0 && q.error_pct !== null ?
		Math.abs(q.error_pct) / q.tolerance_pct : null,
	    cell: (q) => h('td', {}, gauge(q), h('span', { class: 'allowed',
		text: q.tolerance_pct === null ? '–' :
		`± ${share(q, q.tolerance_pct)}` })) },
	{ text: 'role', left: true, key: (q) => q.role,
	    cell: (q) => h('td', { class: 'text', text: q.role }) },
	{ text: 'verdict', left: true, key: ORDER, cell: verdict },
];

function csv() {
	return { name: 'published', header: ['where', 'ratio_to', 'metric',
		'published', 'simulated', 'half', 'error_pct', 'tolerance_pct',
		'role', 'ok', 'missed'],
	    rows: data.published.map((q) => [q.where, q.ratio_to, q.metric,
		q.value, q.simulated, q.half, q.error_pct, q.tolerance_pct,
		q.role, q.ok, q.missed]) };
}

solab.section('published', 'Published and simulated', (body) => {
	const judged = data.published.filter((q) => q.ok !== null);
	const good = judged.filter((q) => q.ok).length;
	const known = judged.filter((q) => !q.ok && q.missed).length;
	const missed = judged.length - good - known;
	const div = solab.panel(body, { id: 'published-table',
		title: `${good} of ${judged.length} inside their tolerance` +
		    (known > 0 ? `, ${known} known to miss` : '') +
		    (missed > 0 ? `, ${missed} missed` : ''),
		note: 'Fitted: a cost was set so that it comes out. Predicted: ' +
		    'it came out by itself. The dot is the error, the bar the ' +
		    'tolerance on both sides.' + (solab.shared.length > 0 ?
			` All was run with ${solab.shared.join(' ')}, which ` +
			'may not be what was published.' : ''), csv });

	div.append(solab.table(COLUMNS, () => data.published).element);
}, 'Published');
})();
