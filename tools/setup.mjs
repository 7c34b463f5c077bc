#!/usr/bin/env node
// Sets this machine up for steadyvm. Plain JavaScript without dependencies, for the Node 20 that a
// fresh machine has. Every step looks first and acts only when something is missing, so that a
// second run costs almost nothing.
//   node tools/setup.mjs            what `npm start` needs
//   node tools/setup.mjs --test     also what the tests use
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fetchKubectl } from './kubectl.mjs'
import { fetchNewerQemu } from './newer-qemu.mjs'

const repository = join(dirname(fileURLToPath(import.meta.url)), '..')
const home = process.env.STEADYVM_HOME || join(homedir(), '.steadyvm')
const isRoot = process.getuid?.() === 0

/** Programs and libraries that must be there, and the Debian packages that bring them. */
const NEEDS = [
  { what: 'libatomic, which Node 26 is linked with', library: 'libatomic.so.1', packages: ['libatomic1'] },
  { what: 'QEMU', program: 'qemu-system-x86_64', packages: ['qemu-system-x86'] },
  { what: 'qemu-img', program: 'qemu-img', packages: ['qemu-utils'] },
  { what: 'xz, for compressed images', program: 'xz', packages: ['xz-utils'] },
  { what: 'UEFI firmware for guests', file: '/usr/share/qemu/firmware/60-edk2-x86_64.json', packages: ['ovmf'] },
  { what: 'busybox, statically linked', program: 'busybox', packages: ['busybox-static'] },
  { what: 'dpkg-deb', program: 'dpkg-deb', packages: ['dpkg'] },
]

/** Programs of the network of guests, which start without one where they are missing. */
const NEEDS_OF_NETWORK = [
  { what: 'ip', program: 'ip', packages: ['iproute2'] },
  { what: 'nft, for the network of guests', program: 'nft', packages: ['nftables'] },
  { what: 'slirp4netns', program: 'slirp4netns', packages: ['slirp4netns'] },
  { what: 'dnsmasq', program: 'dnsmasq', packages: ['dnsmasq-base'] },
]

/** What the tests use when it is there: without it, those that need it are skipped. */
const WANTS_OF_TESTS = [
  { what: 'TPMs for guests', program: 'swtpm', packages: ['swtpm'] },
  // A cloud image of Debian is built from its packages when the first test asks for it.
  { what: 'mmdebstrap', program: 'mmdebstrap', packages: ['mmdebstrap'] },
  { what: 'discs', program: 'genisoimage', packages: ['genisoimage'] },
  { what: 'what is on discs with UDF', program: '7z', packages: ['p7zip-full'] },
  { what: 'partition tables', program: 'sfdisk', packages: ['fdisk'] },
  { what: 'EFI system partitions', program: 'mformat', packages: ['mtools'] },
  { what: 'boot loaders', program: 'grub-mkimage', packages: ['grub-common'] },
  { what: 'the boot loader for BIOS', file: '/usr/lib/grub/i386-pc/boot.img', packages: ['grub-pc-bin'] },
  { what: 'the boot loader for UEFI', file: '/usr/lib/grub/x86_64-efi/moddep.lst', packages: ['grub-efi-amd64-bin'] },
]

let aptIsFresh = false

function fail(message) {
  process.stderr.write(`setup: ${message}\n`)
  process.exit(1)
}

function step(text) {
  process.stderr.write(`setup: ${text}\n`)
}

function onPath(program) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .concat('/usr/sbin', '/sbin')
    .some((folder) => {
      try {
        accessSync(join(folder, program), constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

/** Whether the dynamic linker finds a library. */
function hasLibrary(name) {
  const folders = ['/lib', '/usr/lib', '/lib/x86_64-linux-gnu', '/usr/lib/x86_64-linux-gnu', '/lib64', '/usr/lib64', '/usr/local/lib']
  return folders.some((folder) => existsSync(join(folder, name)))
}

function isThere({ library, file, program }) {
  if (library !== undefined) return hasLibrary(library)
  return file === undefined ? onPath(program) : existsSync(file)
}

function run(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64 << 20, ...options })
  return { ok: result.status === 0, output: `${result.stdout ?? ''}${result.stderr ?? ''}`, error: result.error }
}

function tail(text) {
  return text.trim().split('\n').slice(-8).join('\n')
}

/** npm packages, when the lockfile is another one than that of the last install. */
function installPackages() {
  const lock = createHash('sha256')
    .update(readFileSync(join(repository, 'package-lock.json')))
    .digest('hex')
  const stamp = join(repository, 'node_modules', '.steadyvm-lock')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  step('installing npm packages (a minute at the first time)')
  // npm takes packages out of node_modules while it works; what runs now is the system's node,
  // which stays.
  const result = run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: repository })
  if (!result.ok) fail(`"npm ci" failed; is the npm registry reachable?\n${tail(result.output)}`)
  warmCompileCache()
  writeFileSync(stamp, lock)
}

/**
 * Puts each program into one file, which starts faster. Only a cache: what is missing or older than
 * the sources is not used.
 */
function bundlePrograms() {
  const result = run(join(repository, 'node_modules', 'node', 'bin', 'node'), [join(repository, 'tools', 'bundle.ts')])
  if (!result.ok) step(`the programs could not be bundled, and start from their sources:\n${tail(result.output)}`)
}

/** Compiles the code once now, so that the first start is as quick as every other. */
function warmCompileCache() {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(repository, 'node_modules', '.cache', 'compile') }
  run(join(repository, 'node_modules', 'node', 'bin', 'node'), [join(repository, 'tools', 'warm-compile-cache.ts')], { env })
}

function installSystem() {
  const missing = [...NEEDS, ...(isRoot ? NEEDS_OF_NETWORK : [])].filter((need) => !isThere(need))
  const unconnected = isRoot ? [] : NEEDS_OF_NETWORK.filter((need) => !isThere(need)).flatMap((need) => need.packages)
  if (unconnected.length > 0)
    step(`guests will have no network: install it with "sudo apt-get install -y --no-install-recommends ${unconnected.join(' ')}"`)
  if (missing.length === 0) return
  const packages = [...new Set(missing.flatMap((need) => need.packages))]
  const names = missing.map((need) => need.what).join(', ')
  if (!isRoot || !onPath('apt-get'))
    fail(`missing: ${names}. Install with: sudo apt-get install -y --no-install-recommends ${packages.join(' ')}`)
  step(`installing ${packages.join(' ')} with apt-get`)
  refreshApt()
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const result = run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env: environment })
  if (!result.ok) fail(`apt-get could not install ${packages.join(' ')}:\n${tail(result.output)}`)
  const still = missing.filter((need) => !isThere(need))
  if (still.length > 0) fail(`still missing after the install: ${still.map((need) => need.what).join(', ')}`)
}

function installForTests() {
  const packages = WANTS_OF_TESTS.filter((want) => !isThere(want)).flatMap((want) => want.packages)
  if (packages.length === 0 || !isRoot || !onPath('apt-get')) return
  step(`installing ${packages.join(' ')} for the tests`)
  refreshApt()
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const result = run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env: environment })
  if (!result.ok) step(`apt-get could not install ${packages.join(' ')}, and some tests will be skipped:\n${tail(result.output)}`)
}

function refreshApt() {
  if (aptIsFresh || !isRoot) return
  const result = run('apt-get', ['update'])
  if (!result.ok) fail(`"apt-get update" failed; is a Debian mirror reachable?\n${tail(result.output)}`)
  aptIsFresh = true
}

/**
 * Folders of the large kernel package that the guest may load drivers from. The rest is for
 * hardware that no QEMU has.
 */
const DRIVERS =
  'arch/x86/crypto block crypto fs/efivarfs lib net/core drivers/acpi drivers/ata drivers/block drivers/cdrom drivers/char drivers/hid drivers/misc drivers/net/*.ko ' +
  'drivers/net/ethernet/8390 drivers/net/ethernet/amd drivers/net/ethernet/intel drivers/net/ethernet/realtek drivers/scsi drivers/usb ' +
  'drivers/virtio drivers/watchdog drivers/input'

/**
 * A kernel of the demo guest: unpacked from Debian's package into the cache, not installed. The
 * small one is made for clouds, and knows of virtio and little else; the large one knows of every
 * device that QEMU has.
 * @param {{ name: string, metapackage: string, members: string[] }} wanted
 */
function fetchGuestKernel({ name: folder, metapackage, members }) {
  const target = join(home, 'cache', folder)
  if (existsSync(join(target, 'boot')) && readdirSync(join(target, 'boot')).some((name) => name.startsWith('vmlinuz-'))) return
  step(`fetching the demo guest's kernel (${metapackage}) from Debian`)
  const problem = unpackPackage({ name: kernelPackage(metapackage), target, members })
  if (problem !== '') fail(problem)
}

/** Packages of the demo guest's SSH server, and the libraries that it is linked with. */
const SSH_PACKAGES = {
  'dropbear-bin': ['./usr/sbin/dropbear'],
  libtomcrypt1: ['./usr/lib/*/*.so*'],
  libtommath1: ['./usr/lib/*/*.so*'],
  libgmp10: ['./usr/lib/*/*.so*'],
  zlib1g: ['./lib/*/*.so*'],
  libcrypt1: ['./lib/*/*.so*'],
  libc6: ['./lib/*/libc.so.6', './lib/*/ld-linux-x86-64.so.2'],
}

/** The SSH server of the demo guest, with its libraries: unpacked into the cache, not installed. */
function fetchGuestSsh() {
  const target = join(home, 'cache', 'guest-ssh')
  if (existsSync(target)) return
  step('fetching the SSH server of the demo guest from Debian')
  const staging = `${target}.new`
  rmSync(staging, { recursive: true, force: true })
  for (const [name, members] of Object.entries(SSH_PACKAGES)) {
    const problem = unpackPackage({ name, target: join(staging, name), members })
    if (problem !== '') return step(`the demo guest has no SSH server: ${problem}`)
  }
  renameSync(staging, target)
}

/**
 * Puts files of one of Debian's packages into a folder, without installing it. Gives what went
 * wrong; empty when nothing did.
 * @param {{ name: string, target: string, members: string[] }} wanted
 * @returns {string}
 */
function unpackPackage({ name, target, members }) {
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  const work = mkdtempSync(join(dirname(target), 'package-'))
  try {
    const download = run('apt-get', ['-o', 'APT::Sandbox::User=root', 'download', name], { cwd: work })
    const file = readdirSync(work).find((entry) => entry.endsWith('.deb'))
    if (!download.ok || file === undefined)
      return `cannot download ${name}; run "apt-get update" as root and try again\n${tail(download.output)}`
    mkdirSync(join(work, 'unpacked'))
    const pipe = 'set -o pipefail; dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --wildcards --no-wildcards-match-slash "${@:3}"'
    const unpack = run('bash', ['-c', pipe, 'unpack', join(work, file), join(work, 'unpacked'), ...members])
    if (!unpack.ok) return `cannot unpack ${file}:\n${tail(unpack.output)}`
    rmSync(target, { recursive: true, force: true })
    renameSync(join(work, 'unpacked'), target)
    return ''
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * Programs of tests, by name: the Debian package that has them, without the server that the package
 * would start, and what is skipped without them.
 */
const TEST_PROGRAMS = {
  promtool: { package: 'prometheus', tests: 'alerts' },
  'docker-registry': { package: 'docker-registry', tests: 'imports from a registry' },
}

/** @param {string} name */
function hasTestProgram(name) {
  return onPath(name) || existsSync(join(home, 'cache', name, 'usr', 'bin', name))
}

/** @param {'promtool' | 'docker-registry'} name */
function fetchTestProgram(name) {
  if (hasTestProgram(name)) return
  step(`fetching ${name} for the tests`)
  const wanted = TEST_PROGRAMS[name]
  const problem = unpackPackage({ name: wanted.package, target: join(home, 'cache', name), members: [`./usr/bin/${name}`] })
  if (problem !== '') step(`no ${name}, and the tests of ${wanted.tests} will be skipped: ${problem}`)
}

/**
 * Debian's kernel packages name their version; the metapackage knows the current one.
 * @param {string} metapackage
 * @returns {string}
 */
function kernelPackage(metapackage) {
  for (const attempt of [0, 1]) {
    const match = /Depends: (linux-image-\S+)/.exec(run('apt-cache', ['depends', metapackage]).output)
    if (match !== null) return match[1]
    if (attempt === 0) refreshApt()
  }
  fail('no Debian kernel package is known to apt; run "apt-get update" as root, or see docs/guest.md for other kernels')
  return ''
}

/**
 * Steps that wait for downloads most of the time. Each runs in a process of its own, beside the
 * others; what they take from apt is refreshed before.
 * @type {Record<string, { isForTests?: true, run: () => unknown }>}
 */
const DOWNLOADS = {
  packages: {
    run: () => {
      installPackages()
      bundlePrograms()
    },
  },
  kernel: {
    run: () => fetchGuestKernel({ name: 'guest-kernel', metapackage: 'linux-image-cloud-amd64', members: ['./boot', './lib/modules'] }),
  },
  ssh: { run: fetchGuestSsh },
  'full-kernel': {
    isForTests: true,
    run: () => {
      const drivers = DRIVERS.split(' ').map((folder) => `./lib/modules/*/kernel/${folder}`)
      const members = ['./boot/vmlinuz-*', './lib/modules/*/modules.builtin', ...drivers]
      fetchGuestKernel({ name: 'guest-kernel-full', metapackage: 'linux-image-amd64', members })
    },
  },
  promtool: { isForTests: true, run: () => fetchTestProgram('promtool') },
  registry: { isForTests: true, run: () => fetchTestProgram('docker-registry') },
  qemu: { isForTests: true, run: () => onPath('apt-get') && fetchNewerQemu(join(home, 'cache'), { run, step, tail }) },
  kubectl: { isForTests: true, run: () => fetchKubectl(join(home, 'cache'), { run, step, tail }) },
}

/** Reports whether something that apt brings is missing. */
function needsApt(isForTests) {
  const names = ['guest-kernel', 'guest-ssh', ...(isForTests ? ['guest-kernel-full'] : [])]
  return names.some((name) => !existsSync(join(home, 'cache', name))) || (isForTests && !Object.keys(TEST_PROGRAMS).every(hasTestProgram))
}

/** Runs one of {@link DOWNLOADS} in a process of its own; gives its exit code. */
function runDownload(name) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--download', name], { stdio: 'inherit' })
  return new Promise((resolve) => {
    child.once('error', () => resolve(1))
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

if (process.platform !== 'linux' || process.arch !== 'x64')
  fail(`steadyvm's machine mode runs on Linux x86-64; this is ${process.platform} ${process.arch}`)
const asked = process.argv.indexOf('--download')
if (asked !== -1) {
  aptIsFresh = true
  DOWNLOADS[process.argv[asked + 1] ?? '']?.run()
} else {
  const started = Date.now()
  const isForTests = process.argv.includes('--test')
  installSystem()
  if (isForTests) installForTests()
  if (needsApt(isForTests)) refreshApt()
  const names = Object.keys(DOWNLOADS).filter((name) => isForTests || DOWNLOADS[name]?.isForTests === undefined)
  const codes = await Promise.all(names.map(runDownload))
  if (codes.some((code) => code !== 0)) process.exit(1)
  if (Date.now() - started > 2000) step(`done in ${((Date.now() - started) / 1000).toFixed(0)} s`)
}
