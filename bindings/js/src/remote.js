export async function loadWorker() {}
