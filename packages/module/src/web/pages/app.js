// Status and terminal of a module. Everything goes through its HTTP API, one call at a time.
const $ = (id) => document.getElementById(id);
const refreshMs = 5000;
const chunkBytes = 2500;

let last = Promise.resolve();

/** Runs a command; `data` are bytes. */
function run(command, data) {
  const call = async () => {
    const body = { flags: data ? 4 : 0, command };
    if (data) body.data = btoa(String.fromCharCode(...data));
    const answer = await fetch('/command', { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
    const { code, response } = await answer.json();
    return { code, text: response.replace(/\r\n$/, '') };
  };
  last = last.then(call, call);
  return last;
}

const value = async (command) => {
  const { code, text } = await run(command);
  return code === 0 ? text : '';
};

function row(name, text) {
  const line = document.createElement('tr');
  const head = document.createElement('th');
  const cell = document.createElement('td');
  head.textContent = name;
  cell.textContent = text;
  line.append(head, cell);
  return line;
}

async function showStatus() {
  const version = await value('version');
  $('name').textContent = document.title = version.split(',')[0] || 'Module';
  const rows = [
    row('Firmware', version),
    row('MAC address', await value('get wlan.mac')),
    row('Network', await value('get wlan.ssid')),
    row('Address', await value('get network.ip')),
    row('Signal', await value('wlan_get_rssi').then((dbm) => dbm && `${dbm} dBm`)),
    row('Up for', await value('get time.uptime').then((seconds) => `${seconds} s`)),
  ];
  $('status').replaceChildren(...rows);
}

async function showFiles() {
  const listing = await value('ls -v');
  const items = listing
    .split('\n')
    .filter((line) => line.startsWith('#'))
    .map((line) => {
      const [, , type, flags, , size, , ...name] = line.trim().replace(/^#\s*/, '# ').split(/\s+/);
      const item = document.createElement('li');
      const link = document.createElement(parseInt(flags, 16) & 0x1a ? 'span' : 'a');
      link.textContent = name.join(' ');
      link.href = `/${encodeURIComponent(name.join(' ').replace(/^\//, ''))}`;
      item.append(link, ` – ${size} bytes, ${type}`);
      return item;
    });
  $('files').replaceChildren(...items);
}

async function showLog() {
  const answer = await fetch('/log');
  if (!answer.ok) return;
  const { logs } = await answer.json();
  const atEnd = $('log').scrollTop + $('log').clientHeight >= $('log').scrollHeight - 8;
  $('log').textContent = logs.join('\n');
  if (atEnd) $('log').scrollTop = $('log').scrollHeight;
}

function print(text) {
  $('terminal').append(`${text}\n`);
  $('terminal').scrollTop = $('terminal').scrollHeight;
}

const history = [];
let at = 0;

$('line').addEventListener('keydown', (event) => {
  if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
  event.preventDefault();
  at = Math.max(0, Math.min(history.length, at + (event.key === 'ArrowUp' ? -1 : 1)));
  $('line').value = history[at] ?? '';
});

$('prompt').addEventListener('submit', async (event) => {
  event.preventDefault();
  const line = $('line').value;
  $('line').value = '';
  if (line.trim() === '') return;
  history.push(line);
  at = history.length;
  print(`> ${line}`);
  try {
    print((await run(line)).text);
  } catch (error) {
    print(`(${error.message})`);
  }
  refresh();
});

/** A file goes up in pieces that fit into a request. */
$('upload').addEventListener('submit', async (event) => {
  event.preventDefault();
  const [file] = $('file').files;
  if (!file) return;
  const say = (text) => {
    $('message').textContent = text;
  };
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    await run(`file_delete "${file.name}"`);
    const made = await run(`file_create -o "${file.name}" ${bytes.length}`);
    if (made.code !== 0) throw new Error(made.text);
    for (let from = 0; from < bytes.length; from += chunkBytes) {
      const chunk = bytes.subarray(from, from + chunkBytes);
      const written = await run(`write ${made.text} ${chunk.length}`, chunk);
      if (written.code !== 0) throw new Error(written.text);
      say(`${from + chunk.length} of ${bytes.length} bytes`);
    }
    say(`${file.name} is stored`);
  } catch (error) {
    say(error.message);
  }
  refresh();
});

let refreshing = false;

async function refresh() {
  if (refreshing || document.hidden) return;
  refreshing = true;
  try {
    await showStatus();
    await showFiles();
    await showLog();
  } catch {
    $('name').textContent = 'No answer from the module';
  }
  refreshing = false;
}

refresh();
setInterval(refresh, refreshMs);
