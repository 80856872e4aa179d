'use strict';
/* Panels that charts are drawn in, their tools, and notes at the pointer. */
(() => {
const { h, css } = solab;

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

/* Pixels of a canvas for one of the page: paper has finer dots. */
const PAPER_SCALE = 3;

solab.scale = () => Math.max(window.devicePixelRatio || 1,
    solab.onPaper ? PAPER_SCALE : 1);

/* A canvas as wide as its place, in device pixels; it is empty. */
solab.canvas = (div, height) => {
	const width = Math.max(200, div.clientWidth);
	const scale = solab.scale();
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

/* Colours and their meanings: [{colour, name, faint, striped}]. */
solab.key = (div, items) => {
	div.className = 'key';
	div.replaceChildren(...items.map((item) => {
		const box = h('span', { class: 'box' });

		box.style.backgroundColor = item.colour;
		box.style.opacity = item.faint ? 0.45 : 1;
		box.classList.toggle('striped', Boolean(item.striped));
		return h('span', { class: 'item' }, box, item.name);
	}));
};
})();
