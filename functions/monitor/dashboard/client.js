// A small client of the Secretary API: for this dashboard, and for any page or script that uses fetch.
//
//   const secretary = new Secretary("http://127.0.0.1:8000");
//   const job = await secretary.createJob("pdf", { url: "https://example.org/talk.pdf" });
//   const done = await secretary.waitForJob(job.job_id, { onChange: (now) => console.log(now.progress) });

export const FINAL = new Set(["completed", "failed", "cancelled"]);
const FINAL_BATCH = new Set(["completed", "failed", "cancelled", "partial"]);
const WAIT_SECONDS = 20;
const RETRIED = new Set([429, 502, 503, 504]);
const MOST_TRIES = 5;
const LONGEST_PAUSE_SECONDS = 30;

export class SecretaryError extends Error {
  constructor({ code, message, details, request_id: requestId }, status) {
    super(message);
    Object.assign(this, { name: "SecretaryError", code, details, requestId, status });
  }
}

export class Secretary {
  constructor(baseUrl = "", { token = null, language = null } = {}) {
    Object.assign(this, { baseUrl: baseUrl.replace(/\/$/, ""), token, language });
  }

  // Jobs

  async createJob(jobType, parameters, options = {}) {
    return (await this.create("/api/jobs", { job_type: jobType, parameters, ...options })).job;
  }

  async job(jobId) {
    return (await this.get(`/api/jobs/${encodeURIComponent(jobId)}`)).job;
  }

  async jobs(query = {}) {
    return (await this.get("/api/jobs", query)).data;
  }

  // The same list as soon as it has changed since `query.since`, and no more than once a second.
  async nextJobs(query, { signal } = {}) {
    await pause(1);
    for (;;) {
      const { data } = await this.get("/api/jobs", { ...query, wait: WAIT_SECONDS }, { signal });
      if (data.version !== query.since) return data;
    }
  }

  async logs(jobId) {
    return (await this.get(`/api/jobs/${encodeURIComponent(jobId)}/logs`, { limit: 200 })).data.logs;
  }

  // Resolves with the finished job; `onChange` sees every change on the way.
  async waitForJob(jobId, { onChange = () => {}, signal } = {}) {
    const path = `/api/jobs/${encodeURIComponent(jobId)}`;
    for (let query = {}; ;) {
      const { job } = await this.get(path, query, { signal });
      onChange(job);
      if (FINAL.has(job.status)) return job;
      query = { wait: WAIT_SECONDS, since: job.version };
    }
  }

  cancelJob(jobId) { return this.post(`/api/jobs/${encodeURIComponent(jobId)}/cancel`); }
  restartJob(jobId, options = {}) { return this.post(`/api/jobs/${encodeURIComponent(jobId)}/restart`, options); }
  deleteJob(jobId) { return this.call("DELETE", `/api/jobs/${encodeURIComponent(jobId)}`); }

  // Batches

  async createBatch(jobs, options = {}) {
    return (await this.create("/api/batches", { jobs, ...options })).batch;
  }

  async batch(batchId) {
    return (await this.get(`/api/batches/${encodeURIComponent(batchId)}`)).batch;
  }

  async batches(query = {}) {
    return (await this.get("/api/batches", query)).data;
  }

  async waitForBatch(batchId, { onChange = () => {}, signal } = {}) {
    const path = `/api/batches/${encodeURIComponent(batchId)}`;
    for (let query = {}; ;) {
      const { batch } = await this.get(path, query, { signal });
      onChange(batch);
      if (FINAL_BATCH.has(batch.status)) return batch;
      query = { wait: WAIT_SECONDS, since: batch.version };
    }
  }

  cancelBatch(batchId) { return this.post(`/api/batches/${encodeURIComponent(batchId)}/cancel`); }
  retryFailed(batchId) { return this.post(`/api/batches/${encodeURIComponent(batchId)}/retry-failed`); }
  setBatchActive(batchId, active) {
    return this.post(`/api/batches/${encodeURIComponent(batchId)}/toggle-active`, { isActive: active });
  }
  deleteBatch(batchId) { return this.call("DELETE", `/api/batches/${encodeURIComponent(batchId)}`); }
  async importSchedule(body) { return (await this.create("/api/batches/import", body)).data; }

  // Files

  // Sends a file straight to the object store; resolves with the id that jobs take as `upload_id`.
  async upload(file, { onProgress = () => {} } = {}) {
    const type = file.type || "application/octet-stream";
    const body = { filename: file.name, size: file.size, content_type: type };
    const { data } = await this.create("/api/uploads", body);
    await retried(() => put(data.url, file, data.headers ?? { "Content-Type": type }, onProgress));
    return data.upload_id;
  }

  // A fresh signed address of a job's archive, which a browser can open.
  async archiveUrl(jobId) {
    return (await this.get(`/api/jobs/${encodeURIComponent(jobId)}/download-archive`, { redirect: false })).data.url;
  }

  // That of a whole batch; `onBuilding` is told once if it has to be built first.
  async batchArchiveUrl(batchId, { onBuilding = () => {}, signal } = {}) {
    const { data } = await this.get(`/api/batches/${encodeURIComponent(batchId)}/download-archive`, { redirect: false });
    if (data.url) return data.url;
    onBuilding(data);
    const built = await this.waitForJob(data.job_id, { signal });
    if (built.status !== "completed") throw new SecretaryError(built.error ?? { code: "ARCHIVE_NOT_FOUND", message: built.status });
    return this.archiveUrl(built.job_id);
  }

  async files(jobId) {
    return (await this.get(`/api/jobs/${encodeURIComponent(jobId)}/files`)).data.files;
  }

  async fileUrl(jobId, path, { inline = false } = {}) {
    const query = { redirect: false, ...(inline ? { inline: 1 } : {}) };
    const place = `/api/jobs/${encodeURIComponent(jobId)}/files/${path.split("/").map(encodeURIComponent).join("/")}`;
    return (await this.get(place, query)).data.url;
  }

  // Everything else

  async deliveries(jobId) {
    return (await this.get(`/api/jobs/${encodeURIComponent(jobId)}/deliveries`)).data.deliveries;
  }
  redeliver(deliveryId) { return this.post(`/api/deliveries/${encodeURIComponent(deliveryId)}/redeliver`); }
  async statistics(query = {}) { return (await this.get("/api/monitoring/events/stats", query)).data; }
  async jobTypes() { return (await this.get("/api/job-types")).data.job_types; }
  async templates() { return (await this.get("/api/templates")).data.templates; }

  // Calls

  get(path, query = {}, options = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
    const text = new URLSearchParams(given).toString();
    return retried(() => this.call("GET", text ? `${path}?${text}` : path, undefined, options));
  }

  post(path, body = {}, options = {}) { return this.call("POST", path, body, options); }

  // A key of its own makes a create harmless when it has to be sent again.
  create(path, body) {
    const key = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return retried(() => this.call("POST", path, body, { headers: { "Idempotency-Key": key } }));
  }

  async call(method, path, body, { signal, headers: more = {} } = {}) {
    const headers = { Accept: "application/json", ...more };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    if (this.language) headers["Accept-Language"] = this.language;
    const answer = await fetch(this.baseUrl + path, { method, headers, signal, body: body && JSON.stringify(body) });
    const envelope = await answer.json().catch(() => null);
    if (answer.ok && envelope) return envelope;
    const unexpected = { code: "UNEXPECTED_ANSWER", message: `The service answered ${answer.status}.` };
    const error = new SecretaryError(envelope?.error ?? unexpected, answer.status);
    error.retryAfter = Number(answer.headers.get("Retry-After")) || 0;
    throw error;
  }
}

// The client of the first service, by its own names: process, keep, filter, download. What is finished is told
// as `sessionComplete` and `batchComplete`, to the page's window where there is one, and to `onEvent`.
export class SessionWorkerClient extends Secretary {
  constructor(baseUrl = "http://localhost:8000", { onEvent = () => {}, ...options } = {}) {
    super(baseUrl, options);
    Object.assign(this, { onEvent, activeJobs: new Map(), completedSessions: new Map() });
  }

  async processSession(parameters) {
    const job = await this.createJob("session", parameters);
    const done = await this.waitForJob(job.job_id, { onChange: (now) => this.activeJobs.set(now.job_id, now) })
      .finally(() => this.activeJobs.delete(job.job_id));
    if (done.status !== "completed") throw new SecretaryError(done.error ?? { code: "CANCELLED", message: done.status });
    const sessionEntry = this.#keep(done);
    this.#tell("sessionComplete", { session: sessionEntry });
    return { sessionEntry, job: done };
  }

  async processBatch(sessions, options = {}) {
    const jobs = sessions.map((parameters) => ({ job_type: "session", parameters }));
    const { batch_id: batchId } = await this.createBatch(jobs, options);
    const batch = await this.waitForBatch(batchId);
    const processedSessions = [];
    for (let cursor = null; ;) {
      const page = await this.jobs({ batch_id: batchId, status: "completed", limit: 200, cursor });
      processedSessions.push(...page.jobs.map((job) => this.#keep(job)));
      cursor = page.next_cursor;
      if (!cursor) break;
    }
    const results = { batchId, batch, processedSessions };
    this.#tell("batchComplete", { batch: results });
    return results;
  }

  getCompletedSessions(filter = {}) {
    const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
    return [...this.completedSessions.values()].filter((session) => wanted.every(([name, value]) => session[name] === value));
  }

  // Opens the archive where there is a window, and resolves with its address.
  async downloadSessionArchive(sessionId) {
    if (!this.completedSessions.get(sessionId)?.hasArchive) throw new Error("No archive available for this session");
    const url = await this.archiveUrl(sessionId);
    globalThis.window?.open(url, "_blank");
    return url;
  }

  #keep(job) {
    const { session: title, event, track, category } = job.parameters;
    const { archive_url: archive, archive_filename: archiveFilename } = job.results;
    const entry = { id: job.job_id, jobId: job.job_id, title, event, track, category, processedAt: job.completed_at,
      hasArchive: Boolean(archive), archiveFilename, data: job.results };
    this.completedSessions.set(job.job_id, entry);
    return entry;
  }

  #tell(name, detail) {
    this.onEvent(name, detail);
    globalThis.window?.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

// Sends again what a busy or restarting service refused, and what was lost on the way.
async function retried(send) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      const helps = RETRIED.has(error.status) || error instanceof TypeError; // how fetch tells of a broken connection
      if (!helps || attempt === MOST_TRIES) throw error;
      const seconds = Math.min(error.retryAfter || 0.1 * 2 ** attempt, LONGEST_PAUSE_SECONDS);
      await pause(seconds);
    }
  }
}

function pause(seconds) {
  return new Promise((resolve) => { setTimeout(resolve, 1000 * seconds); });
}

// fetch tells nothing about the progress of an upload, XMLHttpRequest does; Node has only the former.
async function put(url, file, headers, onProgress) {
  const given = Object.entries(headers).filter(([name]) => name.toLowerCase() !== "content-length"); // set by the sender
  if (globalThis.XMLHttpRequest) return putWatched(url, file, given, onProgress);
  const answer = await fetch(url, { method: "PUT", headers: Object.fromEntries(given), body: file });
  if (!answer.ok) throw failed(answer.status);
  return onProgress(1);
}

function putWatched(url, file, headers, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", url);
    headers.forEach(([name, value]) => request.setRequestHeader(name, value));
    request.upload.addEventListener("progress", (event) => onProgress(event.loaded / (event.total || 1)));
    request.addEventListener("load", () => (request.status < 300 ? resolve() : reject(failed(request.status))));
    request.addEventListener("error", () => reject(new TypeError("The upload was interrupted.")));
    request.send(file);
  });
}

function failed(status) {
  return new SecretaryError({ code: "UPLOAD_FAILED", message: `The upload was not accepted (${status}).` }, status);
}
