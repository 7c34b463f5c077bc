import { isIP } from 'node:net'
import type { VirtualMachineInstanceGuestOSInfo } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { GuestAgent } from '#qemu/index.ts'

/** KubeVirt's `VirtualMachineInstanceGuestOSUser`. */
export interface GuestUser {
  readonly userName: string
  readonly domain?: string
  /** Seconds since the epoch. */
  readonly loginTime?: number
}

/** KubeVirt's `VirtualMachineInstanceFileSystem`. */
export interface GuestFileSystem {
  readonly diskName: string
  readonly mountPoint: string
  readonly fileSystemType: string
  readonly usedBytes: number
  readonly totalBytes: number
  readonly disk?: readonly { readonly serial?: string; readonly busType: string }[]
}

/** Longest text of an answer, in characters, and most items of a list. The guest is not trusted. */
const [longestText, mostItems] = [1_024, 1_000]
/** Items of the lists in `guestosinfo`; the lists of their own have all. As in KubeVirt. */
const itemsInInfo = 10
/** Interfaces of a guest that its VMI shows, addresses of each, and characters of a name. */
const [mostInterfaces, mostAddresses, longestName] = [32, 16, 64]

type Fields = Readonly<Record<string, unknown>>

/** Returns the body of `guestosinfo`: KubeVirt's `VirtualMachineInstanceGuestAgentInfo`. */
export async function queryGuestInfo(agent: GuestAgent): Promise<object> {
  const info = fieldsOf(await agent.execute('guest-info'))
  const supportedCommands = listOf(info['supported_commands']).map((command) => ({
    name: textOf(command['name']),
    ...(command['enabled'] === true ? { enabled: true } : {}),
  }))
  const enabled = new Set(supportedCommands.flatMap((command) => ('enabled' in command ? [command.name] : [])))
  const ask = async (command: string): Promise<unknown> => (enabled.has(command) ? agent.execute(command).catch(ignoreRefusal) : undefined)
  const os = await ask('guest-get-osinfo')
  const hostname = textOf(fieldsOf(await ask('guest-get-host-name'))['host-name'])
  const zone = fieldsOf(await ask('guest-get-timezone'))
  const users = usersOf(await ask('guest-get-users'))
  const disks = fileSystemsOf(await ask('guest-get-fsinfo'))
  const fsFreezeStatus = textOf(await ask('guest-fsfreeze-status'))
  return withoutEmpty({
    guestAgentVersion: textOf(info['version']),
    supportedCommands,
    hostname,
    os: osOf(os),
    timezone: `${textOf(zone['zone'])}, ${numberOf(zone['offset'])}`,
    userList: users.slice(0, itemsInInfo),
    fsInfo: { disks: disks.slice(0, itemsInInfo) },
    fsFreezeStatus,
  })
}

/** Returns the body of `userlist`. */
export async function queryUsers(agent: GuestAgent): Promise<object> {
  return { metadata: {}, items: usersOf(await agent.execute('guest-get-users')) }
}

/** Returns the body of `filesystemlist`. */
export async function queryFileSystems(agent: GuestAgent): Promise<object> {
  return { metadata: {}, items: fileSystemsOf(await agent.execute('guest-get-fsinfo')) }
}

/** What the agent says of the guest for its metrics. */
export interface GuestUse {
  readonly fileSystems: readonly GuestFileSystem[]
  /** Load averages. Absent for agents before QEMU 10.0. */
  readonly load?: LoadAverages
}

/** Mean number of processes that run or wait for a disk. */
export interface LoadAverages {
  readonly oneMinute: number
  readonly fiveMinutes: number
  readonly fifteenMinutes: number
}

/** Asks for what metrics show. @throws GuestAgentUnavailable */
export async function queryUse(agent: GuestAgent): Promise<GuestUse> {
  const fileSystems = await agent.execute('guest-get-fsinfo').catch(ignoreRefusal)
  const load = await agent.execute('guest-get-load').catch(ignoreRefusal)
  return { fileSystems: fileSystemsOf(fileSystems), ...(load === undefined ? {} : { load: loadOf(fieldsOf(load)) }) }
}

function loadOf(answer: Fields): LoadAverages {
  return {
    oneMinute: numberOf(answer['load1m']),
    fiveMinutes: numberOf(answer['load5m']),
    fifteenMinutes: numberOf(answer['load15m']),
  }
}

/** What the agent says of the guest for the status of its VMI. */
export interface GuestFacts {
  readonly os: VirtualMachineInstanceGuestOSInfo
  readonly interfaces: readonly GuestInterface[]
}

/** An interface as the guest sees it. */
export interface GuestInterface {
  readonly name: string
  readonly mac: string
  readonly addresses: readonly string[]
}

/** Asks for what the status of the VMI shows. @throws GuestAgentUnavailable */
export async function queryFacts(agent: GuestAgent): Promise<GuestFacts> {
  const os = await agent.execute('guest-get-osinfo').catch(ignoreRefusal)
  const interfaces = await agent.execute('guest-network-get-interfaces').catch(ignoreRefusal)
  return { os: osOf(os), interfaces: interfacesOf(interfaces) }
}

/** Interfaces of the guest but the loopback one, which has no MAC address of its own. */
function interfacesOf(answer: unknown): GuestInterface[] {
  const found = listOf(answer).map((card) => ({
    name: textOf(card['name']).slice(0, longestName),
    mac: textOf(card['hardware-address']).toLowerCase(),
    addresses: listOf(card['ip-addresses'])
      .map((address) => textOf(address['ip-address']))
      .filter((address) => isIP(address) !== 0)
      .slice(0, mostAddresses),
  }))
  return found.filter(({ name, mac }) => name !== 'lo' && mac !== '' && mac !== '00:00:00:00:00:00').slice(0, mostInterfaces)
}

function osOf(answer: unknown): VirtualMachineInstanceGuestOSInfo {
  const os = fieldsOf(answer)
  return withoutEmpty({
    name: textOf(os['name']),
    kernelRelease: textOf(os['kernel-release']),
    version: textOf(os['version']),
    prettyName: textOf(os['pretty-name']),
    versionId: textOf(os['version-id']),
    kernelVersion: textOf(os['kernel-version']),
    machine: textOf(os['machine']),
    id: textOf(os['id']),
  })
}

/** A command that the guest's system does not offer leaves its fields empty. */
function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof Error) || error.name !== 'GuestAgentRefusal') throw error
}

function usersOf(answer: unknown): readonly GuestUser[] {
  return listOf(answer).map((user) => ({
    userName: textOf(user['user']),
    ...(textOf(user['domain']) === '' ? {} : { domain: textOf(user['domain']) }),
    ...(numberOf(user['login-time']) === 0 ? {} : { loginTime: numberOf(user['login-time']) }),
  }))
}

function fileSystemsOf(answer: unknown): readonly GuestFileSystem[] {
  return listOf(answer).map((system) => {
    const disk = listOf(system['disk']).map((each) => ({
      ...(textOf(each['serial']) === '' ? {} : { serial: textOf(each['serial']) }),
      busType: textOf(each['bus-type']),
    }))
    return {
      diskName: textOf(system['name']),
      mountPoint: textOf(system['mountpoint']),
      fileSystemType: textOf(system['type']),
      usedBytes: Math.trunc(numberOf(system['used-bytes'])),
      totalBytes: Math.trunc(numberOf(system['total-bytes'])),
      ...(disk.length === 0 ? {} : { disk }),
    }
  })
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.slice(0, mostItems).map(fieldsOf) : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, longestText) : ''
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

/** Leaves out empty texts and lists, as KubeVirt's encoder does. */
function withoutEmpty(object: Fields): Fields {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0)))
}
