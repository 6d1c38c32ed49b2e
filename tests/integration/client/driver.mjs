// Uses the JavaScript module as a program would; prints what it saw, for test_javascript.py.
// Arguments: the module, the service, a web site with the samples, a PDF.

import { readFile } from "node:fs/promises";

const [module, service, site, pdf] = process.argv.slice(2);
const { Secretary, SecretaryError, SessionWorkerClient } = await import(module);
const secretary = new Secretary(service);
const seen = {};

const shares = [];
const file = new File([await readFile(pdf)], "slides.pdf", { type: "application/pdf" });
const upload = await secretary.upload(file, { onProgress: (share) => shares.push(share) });
const job = await secretary.createJob("pdf", { upload_id: upload }, { job_name: "from JavaScript" });
const states = [];
const done = await secretary.waitForJob(job.job_id, { onChange: (now) => states.push(now.status) });
const archive = await fetch(await secretary.archiveUrl(job.job_id)).then((answer) => answer.arrayBuffer());
const files = await secretary.files(job.job_id);
Object.assign(seen, {
  uploaded: shares.at(-1), status: done.status, lastState: states.at(-1),
  archiveStart: Buffer.from(archive).toString("latin1", 0, 2), files: files.length,
  fileStatus: (await fetch(await secretary.fileUrl(job.job_id, files[0].path))).status,
  logs: (await secretary.logs(job.job_id)).length, sameJob: (await secretary.job(job.job_id)).job_id === job.job_id,
  types: (await secretary.jobTypes()).map((type) => type.job_type), templates: (await secretary.templates()).length,
  statistics: Object.keys(await secretary.statistics()), deliveries: (await secretary.deliveries(job.job_id)).length,
});

await secretary.restartJob(job.job_id);
seen.attempt = (await secretary.waitForJob(job.job_id)).attempt;
const later = await secretary.createJob("pdf", { url: `${site}/slides.pdf` }, { not_before: "2999-01-01T00:00:00Z" });
await secretary.cancelJob(later.job_id);
seen.cancelled = (await secretary.job(later.job_id)).status;
await secretary.deleteJob(later.job_id);
const gone = await secretary.job(later.job_id).catch((error) => error);
seen.gone = [gone instanceof SecretaryError, gone.code, gone.status];

const papers = ["report.pdf", "none.pdf"].map((name) =>
  ({ job_type: "pdf", max_attempts: 1, parameters: { url: `${site}/${name}` } }));
const { batch_id: batchId } = await secretary.createBatch(papers, { batch_name: "two papers" });
await secretary.setBatchActive(batchId, false);
seen.paused = (await secretary.batch(batchId)).isActive;
await secretary.setBatchActive(batchId, true);
seen.batch = (await secretary.waitForBatch(batchId)).status;
await secretary.retryFailed(batchId);
seen.retried = (await secretary.waitForBatch(batchId)).status;
let building = false;
const vault = await fetch(await secretary.batchArchiveUrl(batchId, { onBuilding: () => { building = true; } }));
seen.vault = [building, vault.status];
seen.listed = (await secretary.batches()).batches.some((batch) => batch.batch_id === batchId);
await secretary.cancelBatch(batchId);
await secretary.deleteBatch(batchId);

const schedule = new File([await readFile(pdf.replace("slides.pdf", "schedule.xml"))], "schedule.xml");
seen.planned = (await secretary.importSchedule({ upload_id: await secretary.upload(schedule), dry_run: true })).total;

const told = [];
const worker = new SessionWorkerClient(service, { onEvent: (name, detail) => told.push([name, Object.keys(detail)[0]]) });
const talk = (filename) => ({ event: "Open Archive Days", session: "Keeping the Minutes", track: "Tools", url: `${site}/talk.html`, filename });
const { sessionEntry } = await worker.processSession(talk("one.md"));
const { processedSessions } = await worker.processBatch([talk("two.md"), talk("three.md")]);
const missing = await worker.processSession({ ...talk("four.md"), url: `${site}/none.html` }).catch((error) => error);
Object.assign(seen, {
  told, title: sessionEntry.title, processed: processedSessions.length, missing: missing.code,
  kept: worker.getCompletedSessions().length, ofTrack: worker.getCompletedSessions({ track: "Tools" }).length,
  ofOther: worker.getCompletedSessions({ track: "Cooking" }).length, active: worker.activeJobs.size,
  archived: worker.getCompletedSessions({ hasArchive: true }).length,
  sessionArchive: await worker.downloadSessionArchive(sessionEntry.id).then((url) => fetch(url)).then((answer) => answer.status, (error) => error.message),
});
console.log(JSON.stringify(seen));
