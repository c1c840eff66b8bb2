// Opens every committed page in headless Chromium as a reader would: at phone, tablet and desktop width, light and dark.
// What a reader would trip over is a failure that names page, width and scheme.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const here = dirname(fileURLToPath(import.meta.url));
const output = join(here, '../../output');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const walk = (dir) => readdirSync(dir).sort().flatMap((name) => {
  const path = join(dir, name);
  return statSync(path).isDirectory() ? walk(path) : [path];
});
const pages = walk(output).filter((path) => path.endsWith('.html'));

let browser;
before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync'],
  });
});
after(() => browser.close());

test('there are pages to open', () => assert.ok(pages.length >= 3, `${pages.length} pages below output/`));

// Runs in the page; says what a reader would trip over.
function look() {
  const found = [];
  const label = (element) => (element.textContent ?? '').trim().slice(0, 30);
  const root = document.scrollingElement;
  if (root.scrollWidth > root.clientWidth + 1) found.push(`scrolls sideways: ${root.scrollWidth} in ${root.clientWidth}`);
  if (!document.documentElement.lang) found.push('no lang');
  for (const a of document.querySelectorAll('a[href^="#"]')) {
    const id = decodeURIComponent(a.getAttribute('href').slice(1));
    if (id && !document.getElementById(id)) found.push(`dead anchor #${id}`);
  }
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  for (const id of ids.filter((id, i) => ids.indexOf(id) !== i)) found.push(`id ${id} twice`);
  for (const svg of document.querySelectorAll('svg')) {
    const frame = svg.getBoundingClientRect();
    if (frame.width < 60) continue;
    const texts = [...svg.querySelectorAll('text')].filter((t) => t.getBoundingClientRect().width > 0);
    const boxes = texts.map((t) => t.getBoundingClientRect());
    boxes.forEach((box, i) => {
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1) {
        found.push(`clipped: ${label(texts[i])}`);
      }
      const matrix = texts[i].getScreenCTM();
      const size = parseFloat(getComputedStyle(texts[i]).fontSize) * Math.hypot(matrix.b, matrix.d);
      if (size < 10.9) found.push(`tiny: ${size.toFixed(1)} px ${label(texts[i])}`);
      for (let j = i + 1; j < boxes.length; j++) {
        const wide = Math.min(box.right, boxes[j].right) - Math.max(box.left, boxes[j].left);
        const high = Math.min(box.bottom, boxes[j].bottom) - Math.max(box.top, boxes[j].top);
        if (wide > 2 && high > 3) found.push(`overlap: ${label(texts[i])} × ${label(texts[j])}`);
      }
    });
  }
  return found;
}

for (const path of pages) {
  const name = relative(output, path);
  for (const width of [360, 390, 768, 1280]) {
    for (const colorScheme of ['light', 'dark']) {
      test(`${name} at ${width} px, ${colorScheme}`, async () => {
        const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
        const tab = await context.newPage();
        const found = [];
        tab.on('console', (message) => found.push(`console: ${message.text()}`));
        tab.on('pageerror', (error) => found.push(`error: ${error.message}`));
        tab.on('request', (request) => {
          if (!/^(file|data|blob):/.test(request.url())) found.push(`request: ${request.url()}`);
        });
        await tab.goto(pathToFileURL(path).href, { waitUntil: 'load' });
        found.push(...await tab.evaluate(look));
        if (width === 360 || width === 1280) {
          await tab.evaluate(axe);
          const { violations } = await tab.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
          found.push(...violations.map((v) => `axe ${v.id}: ${v.nodes[0].target.join(' ')}`));
        }
        await context.close();
        assert.deepEqual(found, []);
      });
    }
  }

  test(`${name}: figures carry their value and their evidence`, async () => {
    const context = await browser.newContext({ javaScriptEnabled: true });
    const tab = await context.newPage();
    await tab.goto(pathToFileURL(path).href);
    const figures = await tab.$$eval('data.figure', (all) => all.map((e) => [e.value, e.dataset.evidence, e.textContent]));
    await context.close();
    if (!name.endsWith('index.html')) return;
    assert.ok(figures.length > 50, `${figures.length} figures`);
    for (const figure of figures) assert.ok(figure.every((part) => part && part.trim()), JSON.stringify(figure));
  });
}
