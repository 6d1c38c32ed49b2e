// Runs the code blocks of the first client's documentation unchanged. What they find in a browser is stood in
// for here; addresses of the documentation lead to the test's own site, and waits are shortened.
'use strict';
const { readFileSync } = require('fs');
const [blocksFile, service, site] = process.argv.slice(2);
const blocks = JSON.parse(readFileSync(blocksFile, 'utf8'));

const realFetch = globalThis.fetch;
globalThis.fetch = (url, options = {}) => {
  const body = options.body?.replaceAll('https://fosdem.org/2025', site);
  return realFetch(new URL(url, service), { ...options, body });
};
const soon = (call, wait) => setTimeout(call, Math.min(wait, 200));
const clicked = [];
const element = () => ({ style: {}, appendChild() {}, remove() {}, click() { clicked.push(this.download); } });
globalThis.document = { createElement: element, getElementById: element, body: element() };
const stored = {};
globalThis.localStorage = { getItem: (key) => stored[key] ?? null, setItem: (key, value) => { stored[key] = value; } };
const listeners = {};
globalThis.window = {
  addEventListener: (name, call) => { (listeners[name] ??= []).push(call); },
  dispatchEvent: (event) => (listeners[event.type] ?? []).forEach((call) => call(event)),
  open: () => {},
};
const told = [];
for (const name of ['updateUI', 'updateSessionList', 'updateBatchStatus']) globalThis[name] = () => told.push(name);
console.log = () => {};

const drive = `
  const found = { created: jobResponse.job.status, status: completedJob.status };
  const results = await processJobResults(completedJob);
  found.archive = results.archiveFilename;
  found.topic = results.sessionData.structuredData.topic;
  found.assets = results.sessionData.assets.length;
  found.pages = results.sessionData.pageTexts.length;
  const handler = await downloadAndProcessArchive(jobId, results.archiveFilename);
  const bytes = Buffer.from((await handler.downloadForProcessing()).arrayBuffer);
  found.archiveStart = bytes.subarray(0, 2).toString();
  handler.triggerUserDownload();
  const one = {
    event: 'FOSDEM 2025', session: 'Welcome', url: 'https://fosdem.org/2025/schedule/event/welcome/',
    filename: 'welcome.md', track: 'Main Track',
  };
  const complete = await client.processSession(one);
  found.entry = complete.sessionEntry.category;
  found.complete = complete.sessionEntry.hasArchive;
  const batch = await client.processBatch([one, { ...one, filename: 'again.md' }]);
  found.batch = batch.processedSessions.map((session) => session.archiveFilename).sort();
  found.available = await checkArchiveAvailability(jobId);
  try {
    await processSessionWithRetry({ ...one, url: 'https://fosdem.org/2025/gone.html' }, 1);
  } catch (error) {
    found.failure = error.message;
    handleSessionProcessingError(error, one);
  }
  const sessionData = one;
  found.written = await (async () => { ${blocks[6]} ${blocks[7]} process.chdir(require('os').tmpdir()); ${blocks[8]} return archiveFilename; })();
  return found;
`;
const program = [...blocks.slice(0, 6), blocks[9], blocks[10], blocks[11], drive].join('\n');
const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
new AsyncFunction('require', 'setTimeout', program)(require, soon).then(
  (found) => process.stdout.write(JSON.stringify({ ...found, clicked, told: [...new Set(told)], kept: Object.keys(stored) })),
  (error) => { process.stderr.write(String(error.stack)); process.exit(1); },
);
