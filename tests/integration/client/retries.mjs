// Makes one job through a front that makes trouble, and prints how many the service then knows.
// Arguments: the module, the front, the name of the job.

const [module, front, name] = process.argv.slice(2);
const { Secretary } = await import(module);
const secretary = new Secretary(front);
const upload = await secretary.upload(new File(["%PDF-1.4"], "a.pdf", { type: "application/pdf" }));
const options = { job_name: name, not_before: "2999-01-01T00:00:00Z" };
const job = await secretary.createJob("pdf", { upload_id: upload }, options);
const found = (await secretary.jobs({ q: name })).jobs.map((one) => one.job_id);
await secretary.deleteJob(job.job_id);
console.log(JSON.stringify({ made: job.job_id, found }));
