/** The login of an example. A real one asks for a password. */
export const loginPage = (names: readonly string[]): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Log in</title>
<style>body { font: 1rem/1.6 system-ui; max-width: 24rem; margin: 20vh auto; padding: 0 1rem }</style>
<h1>Log in</h1>
<p>This is an example, so nobody has a password.</p>
<form method="post">
  ${names.map((name) => `<button name="user" value="${name}">${name}</button>`).join('\n  ')}
</form>
</html>
`;

/** Uploads files to a bucket, and continues unfinished uploads after a reload. */
export const uploadPage = (bucket: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Upload</title>
<style>body { font: 1rem/1.6 system-ui; max-width: 40rem; margin: 10vh auto; padding: 0 1rem }</style>
<h1>Upload</h1>
<p><label>Files <input type="file" multiple></label></p>
<ul></ul>
<p><a href="/console/#/${bucket}">See them in the console</a></p>
<script type="module">
  import { createClient } from '/client/index.js';

  const storage = createClient({ endpoint: '/storage' });
  const bucket = '${bucket}';

  document.querySelector('input').onchange = ({ target }) => {
    for (const file of target.files) upload(file);
  };

  async function upload(file) {
    const line = document.querySelector('ul').appendChild(document.createElement('li'));
    const percent = ({ loaded, total }) => Math.floor((100 * loaded) / total);
    const onProgress = (progress) => {
      line.textContent = file.name + ': ' + percent(progress) + ' %';
    };
    try {
      await storage.upload({ bucket, key: file.name, body: file, onProgress });
      line.textContent = file.name + ' is uploaded.';
    } catch (error) {
      line.textContent = file.name + ': ' + error.message; // Choose it again to go on.
    }
  }
</script>
</html>
`;
