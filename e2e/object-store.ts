import S3rver from 's3rver';

// An object store in a process of its own, for the folder and the bucket that are named: a read that is cut off would
// end the process of the test, since nothing listens for its error.
const [directory = '', name = 'blobs'] = process.argv.slice(2);
process.on('uncaughtException', (error: Error & { code?: string }) => {
  if (error.code !== 'ENOENT') throw error;
});
const configureBuckets = [{ name }];
const { port } = await new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets }).run();
process.stderr.write(`listening on ${port}\n`);
