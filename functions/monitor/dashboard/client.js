// A small client of the Secretary API: for this dashboard, and for any page or script that uses fetch.
//
//   const secretary = new Secretary("http://127.0.0.1:8000");
//   const job = await secretary.createJob("pdf", { url: "https://example.org/talk.pdf" });
//   const done = await secretary.waitForJob(job.job_id, { onChange: (now) => console.log(now.progress) });

export const FINAL = new Set(["completed", "failed", "cancelled"]);
const FINAL_BATCH = new Set(["completed", "failed", "cancelled", "partial"]);
const WAIT_SECONDS = 20;

export class SecretaryError extends Error {
  constructor({ code, message, details, request_id: requestId }, status) {
    super(message);
    Object.assign(this, { name: "SecretaryError", code, details, requestId, status });
  }
}

export class Secretary {
  constructor(baseUrl = "", { token = null, language = null } = {}) {
    Object.assign(this, { baseUrl: baseUrl.replace(/\/$/, ""), token, language });
    this.completedSessions = new Map();
  }

  // Jobs

  async createJob(jobType, parameters, options = {}) {
    return (await this.post("/api/jobs", { job_type: jobType, parameters, ...options })).job;
  }

  async job(jobId) {
    return (await this.get(`/api/jobs/${encodeURIComponent(jobId)}`)).job;
  }

  async jobs(query = {}) {
    return (await this.get("/api/jobs", query)).data;
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
    return (await this.post("/api/batches", { jobs, ...options })).batch;
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
    return this.post(`/api/batches/${encodeURIComponent(batchId)}/toggle-active`, { active });
  }
  deleteBatch(batchId) { return this.call("DELETE", `/api/batches/${encodeURIComponent(batchId)}`); }
  async importSchedule(body) { return this.post("/api/batches/import", body); }

  // Files

  // Sends a file straight to the object store; resolves with the id that jobs take as `upload_id`.
  async upload(file, { onProgress = () => {} } = {}) {
    const type = file.type || "application/octet-stream";
    const body = { filename: file.name, size: file.size, content_type: type };
    const { data } = await this.post("/api/uploads", body);
    await put(data.url, file, data.headers ?? { "Content-Type": type }, onProgress);
    return data.upload_id;
  }

  // A fresh signed address of a job's archive, which a browser can open.
  async archiveUrl(jobId) {
    return (await this.get(`/api/jobs/${encodeURIComponent(jobId)}/download-archive`, { redirect: false })).data.url;
  }

  async batchArchiveUrl(batchId) {
    return (await this.get(`/api/batches/${encodeURIComponent(batchId)}/download-archive`, { redirect: false })).data?.url;
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
  async statistics(query = {}) { return (await this.get("/api/monitoring/events/stats", query)).data; }
  async jobTypes() { return (await this.get("/api/job-types")).data.job_types; }
  async templates() { return (await this.get("/api/templates")).data.templates; }

  // What the old session client offered: process, keep, filter, download.

  async processSession(parameters) {
    const job = await this.createJob("session", parameters);
    const done = await this.waitForJob(job.job_id);
    if (done.status === "completed") this.#keep(done, parameters);
    return done;
  }

  async processBatch(sessions, options = {}) {
    const jobs = sessions.map((parameters) => ({ job_type: "session", parameters }));
    const batch = await this.createBatch(jobs, options);
    const done = await this.waitForBatch(batch.batch_id);
    const members = (await this.jobs({ batch_id: batch.batch_id, limit: 200 })).jobs;
    members.filter((job) => job.status === "completed").forEach((job) => this.#keep(job, job.parameters));
    return { batch: done, jobs: members };
  }

  getCompletedSessions(filter = {}) {
    return [...this.completedSessions.values()].filter((session) =>
      Object.entries(filter).every(([name, value]) => session[name] === value));
  }

  async downloadSessionArchive(jobId) {
    const session = this.completedSessions.get(jobId);
    if (!session?.hasArchive) throw new Error("No archive available for this session");
    return this.archiveUrl(jobId);
  }

  #keep(job, { event, track, session }) {
    const hasArchive = Boolean(job.results?.archive_url);
    this.completedSessions.set(job.job_id, { id: job.job_id, event, track, title: session, hasArchive, job });
  }

  // Calls

  get(path, query = {}, options = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
    const text = new URLSearchParams(given).toString();
    return this.call("GET", text ? `${path}?${text}` : path, undefined, options);
  }

  post(path, body = {}, options = {}) { return this.call("POST", path, body, options); }

  async call(method, path, body, { signal } = {}) {
    const headers = { Accept: "application/json" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    if (this.language) headers["Accept-Language"] = this.language;
    const answer = await fetch(this.baseUrl + path, { method, headers, signal, body: body && JSON.stringify(body) });
    const envelope = await answer.json().catch(() => null);
    if (answer.ok && envelope) return envelope;
    const unexpected = { code: "UNEXPECTED_ANSWER", message: `The service answered ${answer.status}.` };
    throw new SecretaryError(envelope?.error ?? unexpected, answer.status);
  }
}

// fetch tells nothing about the progress of an upload, XMLHttpRequest does.
function put(url, file, headers, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", url);
    for (const [name, value] of Object.entries(headers)) {
      if (name.toLowerCase() !== "content-length") request.setRequestHeader(name, value); // the browser sets that one
    }
    request.upload.addEventListener("progress", (event) => onProgress(event.loaded / (event.total || 1)));
    request.addEventListener("load", () => (request.status < 300 ? resolve() : reject(failed(request.status))));
    request.addEventListener("error", () => reject(failed(0)));
    request.send(file);
  });
}

function failed(status) {
  return new SecretaryError({ code: "UPLOAD_FAILED", message: `The upload was not accepted (${status}).` }, status);
}
