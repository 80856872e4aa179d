'use strict';
/* The topology: what dot made of it when the report was written. */
(() => {
const { data, h } = solab;

if (!data.graphs || data.graphs.length === 0)
	return;

/* Only shapes and texts: nothing in a picture may run or fetch. */
function picture(text) {
	const root = new DOMParser().parseFromString(text, 'image/svg+xml')
	    .documentElement;

	if (root.nodeName !== 'svg')
		return null;
	for (const node of [root, ...root.querySelectorAll('*')]) {
		if (/^(script|foreignObject|image|use|style)$/i
		    .test(node.localName)) {
			node.remove();
			continue;
		}
		for (const { name } of [...node.attributes])
			if (/^on|style$|href$/i.test(name))
				node.removeAttribute(name);
	}
	return document.importNode(root, true);
}

/* In the page's width, but no smaller than can be read: then it scrolls. */
const SMALLEST = 0.6;

function fit(svg, whole) {
	const width = parseFloat(svg.getAttribute('width')) * 4 / 3;

	if (!Number.isFinite(width))
		return;
	svg.style.width = `${width}px`;
	svg.style.maxWidth = whole ? 'none' : '100%';
	svg.style.minWidth = whole ? '0' : `${width * SMALLEST}px`;
}

function show(place, graph, name, whole) {
	const svg = graph.svg ? picture(graph.svg) : null;

	place.replaceChildren(svg || h('p', { class: 'note', text:
	    'There was no dot to draw it when the report was made. Its ' +
	    'source is below.' }));
	if (svg) {
		svg.setAttribute('role', 'img');
		svg.setAttribute('aria-label',
		    `the topology of ${name}; its source is below as text`);
		fit(svg, whole);
	}
}

solab.section('graph', 'Topology', (body) => {
	const name = (g) => {
		const point = solab.point(g.point);

		return point ? point.name : 'scenario';
	};
	const pinned = solab.baseline() || solab.selected()[0];
	let graph = data.graphs.find((g) => pinned && g.point === pinned.id) ||
	    data.graphs[0];
	let whole = false;
	const div = solab.panel(body, { id: 'topology',
		title: 'Ports, rings, CPUs, sockets, threads',
		note: 'With what the run of this point put on them.' });
	const source = h('pre');
	const svg = solab.button('SVG', () => solab.save('graph.svg', graph.svg,
	    'image/svg+xml'), 'download the picture');
	const update = () => {
		show(div, graph, name(graph), whole);
		source.textContent = graph.dot;
		svg.disabled = !graph.svg;
	};

	div.classList.add('paper');
	div.tabIndex = 0;
	div.after(h('details', { class: 'fold' }, h('summary', { text:
	    'DOT source' }), source));
	div.toolbar.append(
	    data.graphs.length > 1 ? solab.choice('point',
		data.graphs.map((g, i) => [i, name(g)]),
		data.graphs.indexOf(graph), (v) => {
			graph = data.graphs[Number(v)];
			update();
		}) : '',
	    solab.check('full size', false, (on) => {
		    whole = on;
		    update();
	    }), svg,
	    solab.button('DOT', () => solab.save('graph.dot', graph.dot,
		'text/vnd.graphviz'), 'download its source'));
	update();
});
})();
