// Builds the packages that are published into `dist/`. `npm run package [-- NAME …]` builds all, or those of these names.
import { published } from './packages.ts';
import { folderOf, libraryDeclarations, writePackage } from './support/packaging.ts';

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !published.some((one) => one.name === name));
if (unknown !== undefined) {
  console.error(`"${unknown}" is no package; there are ${published.map(({ name }) => name).join(', ')}`);
  process.exitCode = 2;
} else {
  const wanted = published.filter(({ name }) => asked.length === 0 || asked.includes(name));
  console.log('making the declarations, which takes longest …');
  const declarations = libraryDeclarations(wanted);
  for (const one of wanted) {
    const sources = await writePackage(one, folderOf(one), declarations);
    console.log(`built ${one.name} of ${sources} sources`);
  }
}
