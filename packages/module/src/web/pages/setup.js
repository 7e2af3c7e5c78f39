// Web setup: find a network, try its password without storing it, store it, restart.
const $ = (id) => document.getElementById(id);
const keepAliveMs = 45000;
const tries = 3;
const pauseMs = 3000;
const securities = ['open', 'wep', 'wpa-aes', 'wpa-tkip', 'wpa2-aes', 'wpa2-mixed', 'wpa2-tkip'];

let networks = [];
let chosen;
let last = Promise.resolve();

function run(command) {
  const call = async () => {
    const answer = await fetch('/command', { method: 'POST', body: JSON.stringify({ flags: 0, command }) });
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
    const { code, response } = await answer.json();
    return { code, text: response.replace(/\r\n$/, '') };
  };
  last = last.then(call, call);
  return last;
}

async function must(command) {
  const { code, text } = await run(command);
  if (code !== 0) throw new Error(`${command.split(' ').slice(0, 2).join(' ')}: ${text}`);
  return text;
}

const say = (text, wrong = false) => {
  $('message').textContent = text;
  $('message').className = wrong ? 'error' : '';
};
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** A text as one word of a command line. */
const quoted = (text) => `"${text.replaceAll('"', '""')}"`;

/** One row of `scan -v`: number, channel, rssi, bssid, rate, security, -, length of the name, name. */
function parseRow(line) {
  const match = /^#\s*\d+\s+(\d+)\s+(-?\d+)\s+(\S+)\s+\S+\s+(\S+)\s+\S+\s+\d+ ?(.*)$/.exec(line);
  if (!match) return undefined;
  const [, channel, rssi, bssid, security, ssid] = match;
  return { channel, rssi: Number(rssi), bssid: bssid.replaceAll(':', ''), security: security.toLowerCase(), ssid };
}

async function scan() {
  say('Looking for networks …');
  const table = await must('scan -v');
  const found = table
    .split('\r\n')
    .map(parseRow)
    .filter((network) => network?.ssid);
  networks = found
    .sort((a, b) => b.rssi - a.rssi)
    .filter((one, index, all) => all.findIndex(({ ssid }) => ssid === one.ssid) === index);
  $('networks').replaceChildren(
    ...networks.map((network) => {
      const item = document.createElement('li');
      const button = document.createElement('button');
      button.type = 'button';
      button.append(
        network.ssid,
        Object.assign(document.createElement('small'), { textContent: `${network.security}, ${network.rssi} dBm` }),
      );
      button.addEventListener('click', () => {
        $('ssid').value = network.ssid;
        for (const other of $('networks').querySelectorAll('button'))
          other.setAttribute('aria-pressed', String(other === button));
        $(network.security === 'open' ? 'go' : 'passkey').focus();
      });
      item.append(button);
      return item;
    }),
  );
  say(networks.length === 0 ? 'No network found' : '');
}

// Browsers give their own cryptography only to pages from HTTPS, which a module without a certificate cannot be.
const rotate = (word, bits) => (word << bits) | (word >>> (32 - bits));

function compress(state, block) {
  const words = new Int32Array(80);
  for (let i = 0; i < 16; i++) words[i] = block[i];
  for (let i = 16; i < 80; i++) words[i] = rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  let [a, b, c, d, e] = state;
  for (let i = 0; i < 80; i++) {
    const [f, k] =
      i < 20
        ? [(b & c) | (~b & d), 0x5a827999]
        : i < 40
          ? [b ^ c ^ d, 0x6ed9eba1]
          : i < 60
            ? [(b & c) | (b & d) | (c & d), 0x8f1bbcdc]
            : [b ^ c ^ d, 0xca62c1d6];
    [a, b, c, d, e] = [(rotate(a, 5) + f + e + k + words[i]) | 0, a, rotate(b, 30), c, d];
  }
  return Int32Array.of(state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e);
}

const initial = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);

/** Words of a message of up to 55 bytes behind one block, padded. */
function lastBlock(bytes) {
  const block = new DataView(new ArrayBuffer(64));
  for (const [index, byte] of bytes.entries()) block.setUint8(index, byte);
  block.setUint8(bytes.length, 0x80);
  block.setUint32(60, (64 + bytes.length) * 8);
  return Int32Array.from({ length: 16 }, (_, index) => block.getInt32(index * 4));
}

/** HMAC-SHA1 of up to 55 bytes with a key of up to 64: the states behind the key are worked out once. */
function hmac(key) {
  const pad = (value) => {
    const bytes = new DataView(new ArrayBuffer(64));
    for (let i = 0; i < 64; i++) bytes.setUint8(i, (key[i] ?? 0) ^ value);
    return compress(
      initial,
      Int32Array.from({ length: 16 }, (_, index) => bytes.getInt32(index * 4)),
    );
  };
  const [inner, outer] = [pad(0x36), pad(0x5c)];
  const toBytes = (words) =>
    Array.from(words).flatMap((word) => [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255]);
  return (bytes) => toBytes(compress(outer, lastBlock(toBytes(compress(inner, lastBlock(bytes))))));
}

/** The key of a WPA network as 64 hex digits: PBKDF2 with HMAC-SHA1 over its name, 4096 rounds. */
export function wpaKey(passkey, ssid) {
  if (/^[0-9a-f]{64}$/i.test(passkey)) return passkey;
  const encode = (text) => [...new TextEncoder().encode(text)];
  // The module spells a byte that does not print as \xHH.
  const name = ssid
    .split(/(\\x[0-9a-f]{2})/i)
    .flatMap((part, at) => (at % 2 ? Number.parseInt(part.slice(2), 16) : encode(part)));
  const prf = hmac(encode(passkey));
  const key = [1, 2].flatMap((number) => {
    let round = prf([...name, 0, 0, 0, number]);
    const sum = [...round];
    for (let count = 1; count < 4096; count++) {
      round = prf(round);
      round.forEach((byte, index) => {
        sum[index] ^= byte;
      });
    }
    return sum;
  });
  return key
    .slice(0, 32)
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

async function verify(network, passkey) {
  const security = securities.indexOf(network.security);
  const secret = security > 1 ? ` ${security} ${wpaKey(passkey, network.ssid)}` : '';
  const command = `network_verify wifi ${quoted(network.ssid)} ${network.bssid} ${network.channel}${secret}`;
  for (let count = 1; count <= tries; count++) {
    say(`Trying to join ${network.ssid} … (${count})`);
    if ((await run(command)).code === 0) return;
    if (count < tries) await sleep(pauseMs);
  }
  throw new Error('The module could not join with this password');
}

async function store(ssid, passkey) {
  await must(`set wlan.ssid ${quoted(ssid)}`);
  await must(`set wlan.passkey ${quoted(passkey)}`);
  await must('set wlan.auto_join.enabled 1');
  await must(`set network.dhcp.enabled ${$('fixed').checked ? 0 : 1}`);
  if ($('fixed').checked)
    for (const name of ['ip', 'netmask', 'gateway', 'dns']) await must(`set static.${name} ${$(name).value}`);
  if ($('server').checked) await must('set http.server.enabled 1');
  if ($('host').value !== '') {
    await must(`set mdns.name ${$('host').value}`);
    await must('set mdns.enabled 1');
    await must('set mdns.service http');
  }
  await must('save');
}

$('join').addEventListener('submit', async (event) => {
  event.preventDefault();
  $('go').disabled = true;
  try {
    const [ssid, passkey] = [$('ssid').value, $('passkey').value];
    chosen = networks.find((network) => network.ssid === ssid);
    // One that hides its name cannot be tried like this.
    if (chosen && chosen.security !== 'wep') await verify(chosen, passkey);
    await store(ssid, passkey);
    say('Stored. The module restarts and joins the network.');
    clearInterval(keepAlive);
    await run('reboot').catch(() => {});
  } catch (error) {
    say(error.message, true);
    $('go').disabled = false;
  }
});

$('show').addEventListener('change', () => {
  $('passkey').type = $('show').checked ? 'text' : 'password';
});
$('fixed').addEventListener('change', () => {
  $('addresses').hidden = !$('fixed').checked;
});
$('rescan').addEventListener('submit', (event) => {
  event.preventDefault();
  scan().catch((error) => say(error.message, true));
});

const keepAlive = setInterval(() => run('version').catch(() => {}), keepAliveMs);
run('version')
  .then(({ text }) => {
    $('version').textContent = text;
  })
  .then(scan)
  .catch((error) => say(error.message, true));
