import { spawn, type ChildProcess } from 'node:child_process'
import type { Clock } from '#runtime/clock/clock.ts'
import { inNetworkNamespace } from '#runtime/network/network-namespace.ts'
import type { Logger } from '#runtime/process/log.ts'
import { maskOf, option, routingOptions, type RoutingFacts } from '../dhcp-routing.ts'

/** What the guest is told by DHCP. */
export interface DhcpLease extends RoutingFacts {
  /** Interface of the server. */
  readonly interface: string
  readonly mac: string
  readonly mtu: number
  readonly hostname: string
  readonly nameServers: readonly string[]
  readonly searchDomains: readonly string[]
  /** Further options, as dnsmasq takes them. Absent in records of older releases. */
  readonly options?: readonly string[]
}

/**
 * Returns the command of a DHCP server for one guest. dnsmasq answers requests from networks in
 * which its interface has an address; `--shared-network` adds that of the guest. Pure.
 */
export function dhcpCommand(lease: DhcpLease): string[] {
  const { address, prefix, nameServers, searchDomains } = lease
  return [
    'dnsmasq',
    '--conf-file=-',
    '--keep-in-foreground',
    '--log-facility=-',
    '--user=nobody',
    '--group=nogroup',
    '--pid-file',
    '--port=0',
    '--leasefile-ro',
    '--no-ping',
    '--dhcp-authoritative',
    '--dhcp-rapid-commit',
    '--quiet-dhcp',
    '--bind-interfaces',
    `--interface=${lease.interface}`,
    '--except-interface=lo',
    `--shared-network=${lease.interface},${address}`,
    `--dhcp-range=${address},static,${maskOf(prefix)},infinite`,
    `--dhcp-host=${lease.mac},${address},${lease.hostname},infinite`,
    ...[
      ...routingOptions(lease),
      option('dns-server', nameServers),
      ...(searchDomains.length === 0 ? [] : [option('domain-search', searchDomains)]),
    ].map((text) => `--dhcp-option=${text}`),
  ]
}

/**
 * Returns the configuration that the server reads from its standard input: only there, a text in
 * quotes is no number or address. Pure.
 */
function dhcpConfiguration({ options = [] }: DhcpLease): string {
  return options.map((option) => `dhcp-option=${option}\n`).join('')
}

/** Milliseconds before a server that has ended is started again. */
const restartMs = 1_000

/** Dependencies of {@link DhcpServer}. */
export interface DhcpServerOptions {
  readonly clock: Clock
  readonly log: Logger
  /** Reports whether the namespace is still that of the launcher. */
  readonly isWanted: () => boolean
}

/** A DHCP server in the network namespace of a launcher. Runs until it is disposed of. */
export class DhcpServer implements Disposable {
  readonly #options: DhcpServerOptions
  readonly #command: readonly string[]
  readonly #configuration: string
  #child: ChildProcess | undefined
  #timer: Disposable | undefined
  #isOver = false

  constructor(namespace: string, lease: DhcpLease, options: DhcpServerOptions) {
    this.#options = options
    this.#command = inNetworkNamespace(namespace, dhcpCommand(lease))
    this.#configuration = dhcpConfiguration(lease)
    this.#start()
  }

  #start(): void {
    const { clock, log, isWanted } = this.#options
    if (!isWanted()) return
    const [program = '', ...args] = this.#command
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'] })
    child.stdin.on('error', () => {})
    child.stdin.end(this.#configuration)
    this.#child = child
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-1_000)))
    const ended = (reason: string): void => {
      if (this.#isOver || this.#child !== child) return
      this.#child = undefined
      if (!isWanted()) return
      log.warn({ reason, output: output.trim() }, "A guest's DHCP server ended: starting it again")
      this.#timer = clock.after(restartMs, () => this.#start())
    }
    child.on('error', ({ message }) => ended(message))
    child.on('close', (code, signal) => ended(signal ?? `exit code ${code}`))
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    this.#timer?.[Symbol.dispose]()
    this.#child?.kill('SIGKILL')
  }
}
