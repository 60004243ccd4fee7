// A picture opens in the whole window, by a click or by the enter key.
(function () {
  'use strict';
  const whole = document.createElement('dialog');
  document.body.append(whole);
  whole.addEventListener('click', () => whole.close());
  for (const e of document.querySelectorAll('main img, main svg')) {
    e.setAttribute('role', 'button');
    e.setAttribute('tabindex', 0);
    const open = () => {
      const copy = e.cloneNode(true);
      copy.removeAttribute('role');
      whole.replaceChildren(copy);
      whole.showModal();
    };
    e.addEventListener('click', open);
    e.addEventListener('keydown', (key) => { if (key.key === 'Enter') open(); });
  }
})();

// The controls of the section on single columns. Without them the page shows a column
// in a few steps; all else needs no script.
(function () {
  'use strict';
  const source = document.getElementById('steps-data');
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const byId = (id) => document.getElementById(id);
  const choice = byId('steps-column'), slider = byId('steps-k'), play = byId('steps-play');
  const panels = byId('steps-panels'), says = byId('steps-says');

  // words reads numbers of 16 bits, as parts of the largest.
  function words(base64) {
    const bytes = atob(base64), x = new Float64Array(bytes.length / 2);
    for (let i = 0; i < x.length; i++) x[i] = (bytes.charCodeAt(2 * i) + 256 * bytes.charCodeAt(2 * i + 1)) / 65535;
    return x;
  }
  const v = words(data.v), rows = v.length / data.parts;
  const percent = (x) => (100 * x).toFixed(2) + ' %';

  function element(name, attributes, parent) {
    const e = name === 'svg' || name === 'path' ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) key === 'text' ? e.textContent = value : e.setAttribute(key, value);
    if (parent) parent.append(e);
    return e;
  }

  // sum is V W with the first k parts, in the column c.
  function sum(c, k) {
    const x = new Float64Array(rows);
    for (let l = 0; l < k; l++) {
      const w = c.w[l];
      if (w !== 0) for (let i = 0; i < rows; i++) x[i] += w * v[l * rows + i];
    }
    return x;
  }

  function panel(title, kind, label) {
    const figure = element('figure', {}, panels);
    const caption = element('figcaption', {text: title}, figure);
    const canvas = element('canvas', {class: kind, width: data.width, height: data.height, role: 'img', 'aria-label': label}, figure);
    return {caption, canvas};
  }

  // paint draws numbers from 0 to most as ink, or signed ones in two hues.
  function paint(canvas, x, most, signed) {
    const context = canvas.getContext('2d'), image = context.createImageData(data.width, data.height);
    for (let i = 0; i < rows; i++) {
      const part = most > 0 ? Math.min(1, Math.abs(x[i]) / most) : 0;
      const color = signed ? (x[i] < 0 ? [210, 95, 43] : [47, 116, 181]) : [0, 0, 0].fill(Math.round(255 * (1 - part)));
      image.data.set([...color, signed ? Math.round(255 * part) : 255], 4 * i);
    }
    context.putImageData(image, 0, 0);
  }

  const draw = {
    picture() {
      panels.className = 'panels';
      const original = data.columns.some((c) => c.m) ? panel('M', 'ink', 'The column of M') : null;
      const added = slider ? panel('', 'ink', 'The part that was added last') : null;
      const total = panel('', 'ink', 'The sum of the parts');
      const rest = original ? panel('M − V W', 'signed', 'What is left of M, and what exceeds it') : null;
      return function (c, k) {
        const x = sum(c, k), m = c.m ? words(c.m) : null;
        if (original) paint(original.canvas, m || x, 1);
        if (added) {
          added.caption.textContent = k ? 'part ' + k + ', adds ' + (c.w[k - 1] > 0 ? 'up to ' + percent(c.w[k - 1]) : 'nothing here') : 'no part yet';
          paint(added.canvas, k ? v.subarray((k - 1) * rows, k * rows) : x, 1);
        }
        total.caption.textContent = k === 1 ? '1 part' : k + ' parts';
        paint(total.canvas, x, 1);
        if (rest) paint(rest.canvas, m.map((e, i) => e - x[i]), 0.5, true);
      };
    },
    curve() {
      const svg = element('svg', {class: 'live-curve', viewBox: '0 0 1000 240', preserveAspectRatio: 'none', role: 'img', 'aria-label': 'Curves of the column of M and of the sum of the parts'}, panels);
      const added = element('path', {class: 'added'}, svg), original = element('path', {class: 'behind'}, svg), total = element('path', {class: 'a'}, svg);
      const key = element('p', {class: 'key'}, panels);
      element('span', {class: 'm', text: 'M'}, key);
      element('span', {class: 'a', text: 'sum of the parts'}, key);
      if (slider) element('span', {class: 'b', text: 'added by the last part'}, key);
      return function (c, k) {
        const x = sum(c, k), m = c.m ? words(c.m) : null, before = sum(c, Math.max(0, k - 1));
        const most = Math.max(1, ...sum(c, data.parts));
        const path = (y) => Array.from(y, (e, i) => (i ? 'L' : 'M') + (1000 * data.x[i]).toFixed(1) + ' ' + (236 - 232 * e / most).toFixed(1)).join('');
        original.setAttribute('d', m ? path(m) : '');
        total.setAttribute('d', path(x));
        const back = Array.from(before, (e, i) => 'L' + (1000 * data.x[i]).toFixed(1) + ' ' + (236 - 232 * e / most).toFixed(1)).reverse().join('');
        added.setAttribute('d', k && slider ? path(x) + back + 'Z' : '');
      };
    },
    bars() {
      const list = element('ol', {class: 'bars wide-names'}, panels);
      const key = element('p', {class: 'key', text: 'The outline is the entry of M, the bar that of the sum of the parts.'}, panels);
      key.hidden = !data.columns.some((c) => c.m);
      return function (c, k) {
        const x = sum(c, k), m = c.m ? words(c.m) : null, most = Math.max(1, ...(c.rows || []).map((i) => sum(c, data.parts)[i]));
        list.replaceChildren();
        for (const i of c.rows || []) {
          const item = element('li', {}, list);
          element('span', {class: 'name', text: data.names[i]}, item);
          const track = element('span', {class: 'track'}, item);
          element('span', {style: 'width:' + 100 * x[i] / most + '%'}, track);
          if (m) element('span', {class: 'm', style: 'width:' + 100 * m[i] / most + '%'}, track);
          element('span', {class: 'value', text: (x[i] * c.unit).toPrecision(3)}, item);
        }
      };
    },
  };

  const show = draw[data.kind]();
  function update() {
    const c = data.columns[choice.value], k = slider ? Number(slider.value) : data.parts;
    show(c, k);
    let text = k === 0 ? 'No part yet' : k === 1 ? 'The first part' : 'The first ' + k + ' parts';
    if (!slider) text = 'All ' + k + ' parts';
    if (c.errors) text += ': of this column ' + percent(c.errors[k]) + ' is left';
    if (data.errors[k] !== undefined) text += (c.errors ? ', of all of M ' : ': of M ') + percent(data.errors[k]) + (data.weighted ? ' is left by weight' : ' is left');
    says.textContent = text + '.';
    if (slider) slider.setAttribute('aria-valuetext', k + ' of ' + data.parts + ' parts');
  }

  data.columns.forEach((c, i) => element('option', {value: i, text: c.name}, choice));
  choice.value = data.first;
  choice.addEventListener('change', update);
  if (slider) {
    let timer = 0;
    const stop = () => { clearInterval(timer); timer = 0; play.textContent = 'Play'; };
    slider.addEventListener('input', () => { stop(); update(); });
    play.addEventListener('click', () => {
      if (timer) return stop();
      if (Number(slider.value) >= data.parts) slider.value = 0;
      play.textContent = 'Stop';
      timer = setInterval(() => {
        slider.value = Number(slider.value) + 1;
        update();
        if (Number(slider.value) >= data.parts) stop();
      }, Math.max(80, Math.min(600, 6000 / data.parts)));
    });
  }
  byId('steps-live').hidden = false;
  byId('steps-still').style.display = 'none';
  update();
})();
