import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { dataDirectory } from '../home/data-directory.ts'
import { networkEnvironment } from '#runtime/network/network-namespace.ts'
import type { Release } from '../release/release.ts'

/** The pod network of one home on this machine. */
export interface PodNetworkPlace {
  /** The home. */
  readonly root: string
  /** Folder of the network namespace, and of what DHCP and DNS read. */
  readonly directory: string
  /** Interface by which the machine reaches the network. */
  readonly hostLink: string
  /** First two numbers of all addresses: `10.115`. */
  readonly prefix: string
}

/** Folder of the pod networks of all homes of root. */
const networks = '/run/steadyvm'

/**
 * Returns the place of a home's pod network: for root outside of the home, whose folder only root
 * reads.
 */
export function podNetworkPlace(root: string, prefix: string): PodNetworkPlace {
  const id = createHash('sha256').update(root).digest('hex').slice(0, 10)
  const directory = isRoot() ? join(networks, id) : join(dataDirectory(root).run, 'network')
  return { root, directory, hostLink: `svm-${id}`, prefix }
}

function isRoot(): boolean {
  return process.geteuid?.() === 0
}

/** Environment of the script `pod-network.sh`. */
export function scriptEnvironment({ root, directory, hostLink, prefix }: PodNetworkPlace): Record<string, string> {
  return { NETWORK_OWNER: root, NETWORK_DIR: directory, HOST_LINK: hostLink, POD_CIDR_PREFIX: prefix }
}

/** Programs of the network, and the Debian packages that bring them. */
const programs: Readonly<Record<string, string>> = {
  ip: 'iproute2',
  nft: 'nftables',
  slirp4netns: 'slirp4netns',
  dnsmasq: 'dnsmasq-base',
  nsenter: 'util-linux',
}
const folders = (networkEnvironment['PATH'] ?? '').split(':')

/** Reports why this user can have no pod network on this machine; undefined when it can. */
export function podNetworkObstacle(): string | undefined {
  const missing = Object.entries(programs).filter(([program]) => !folders.some((folder) => isExecutable(join(folder, program))))
  if (missing.length > 0) {
    const names = missing.map(([program]) => program).join(', ')
    return `${names} cannot be found: as root, install with "apt-get install ${missing.map(([, debianPackage]) => debianPackage).join(' ')}"`
  }
  return namespaceObstacle() ?? (isRoot() ? undefined : tunObstacle())
}

function namespaceObstacle(): string | undefined {
  const user = isRoot() ? [] : ['--map-root-user']
  try {
    execFileSync('unshare', [...user, '--net', 'ip', 'link', 'set', 'lo', 'up'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: networkEnvironment,
    })
    return undefined
  } catch (error) {
    const { stderr } = error as { readonly stderr?: Buffer }
    const reason = stderr?.toString().trim() || String(error)
    if (isRoot()) return `network namespaces cannot be made: ${reason}`
    return `this machine lets no user without root have a network of its own (${reason}): run steadyvm as root, or see what "sysctl kernel.apparmor_restrict_unprivileged_userns kernel.unprivileged_userns_clone user.max_user_namespaces" prints`
  }
}

/** Root makes the device if it is missing. */
function tunObstacle(): string | undefined {
  const device = '/dev/net/tun'
  try {
    accessSync(device, constants.R_OK | constants.W_OK)
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT'
      ? `there is no "${device}": as root, load it with "modprobe tun"`
      : `this user may not open "${device}": as root, allow it with "chmod 666 ${device}"`
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A network that the machine has a route to: address and mask as numbers of 32 bits. */
export interface Route {
  readonly destination: number
  readonly mask: number
}

/**
 * Chooses the addresses of a home's pod network, `10.64` to `10.191` without those of services:
 * none that the machine reaches otherwise, or that another home has. Undefined when all are taken.
 * Pure.
 */
export function choosePrefix(root: string, routes: readonly Route[], taken: readonly string[]): string | undefined {
  const [first = 0] = createHash('sha256').update(root).digest()
  const numbers = Array.from({ length: 128 }, (_, index) => 64 + ((first + index) % 128))
  // Services have 10.96.0.0/12 in a pod network.
  const candidates = numbers.filter((number) => number < 96 || number > 111)
  const second = candidates.find((number) => {
    const network = ((10 << 24) | (number << 16)) >>> 0
    const isRouted = routes.some(({ destination, mask }) => {
      const common = (mask & 0xff_ff_00_00) >>> 0
      // The default route covers everything, and says nothing about these addresses.
      return mask !== 0 && (network & common) >>> 0 === (destination & common) >>> 0
    })
    return !isRouted && !taken.includes(`10.${number}`)
  })
  return second === undefined ? undefined : `10.${second}`
}

/** Reads the machine's routes. */
export async function readRoutes(file: string = '/proc/net/route'): Promise<Route[]> {
  const [, ...lines] = (await readFile(file, 'latin1')).split('\n')
  return lines.flatMap((line) => {
    const fields = line.split('\t')
    return fields.length < 8 ? [] : [{ destination: littleEndian(fields[1]), mask: littleEndian(fields[7]) }]
  })
}

function littleEndian(hex: string = '0'): number {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(Number.parseInt(hex, 16))
  return bytes.readUInt32BE()
}

/** Path of the network's script in a release. */
export function podNetworkScript(release: Pick<Release, 'root'>): string {
  return join(release.root, 'src/machine/network/pod-network.sh')
}

/**
 * Identifies script and rules of a release by their content: its network is set up anew when they
 * differ, which ends connections of guests to the outside.
 */
export function podNetworkIdentity(release: Pick<Release, 'root'>): string {
  const folder = dirname(podNetworkScript(release))
  const hash = createHash('sha256')
  for (const file of ['pod-network.sh', 'namespace-holder.sh', 'pod-network.nft']) hash.update(readFileSync(join(folder, file)))
  return hash.digest('hex').slice(0, 16)
}

/** Removes the networks of homes that root deleted while they ran: a leftover route would stay. */
export async function removeAbandonedNetworks(release: Pick<Release, 'root'>): Promise<void> {
  if (!isRoot()) return
  for (const id of await readdir(networks).catch(() => [])) {
    const owner = await readFile(join(networks, id, 'owner'), 'utf8').catch(() => '')
    const [, prefix = '', root = ''] = /^(10\.\d+) (\/.*)\n$/.exec(owner) ?? []
    if (root !== '' && !existsSync(root)) await removePodNetwork(release, podNetworkPlace(root, prefix))
  }
}

/** Removes a home's pod network, whose processes have ended. Idempotent. */
export async function removePodNetwork(release: Pick<Release, 'root'>, place: PodNetworkPlace): Promise<void> {
  const env = { ...scriptEnvironment(place), ...networkEnvironment }
  await promisify(execFile)('/bin/sh', [podNetworkScript(release), 'remove'], { env })
}
