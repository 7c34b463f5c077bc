import { buildCommand, buildRouteMap, type Command, type RouteMap } from '@stricli/core'
import { allNamespaces, clusterFlags, namespace, output, selector } from './cluster-flags.ts'
import type { CliContext } from '../context.ts'
import { occurrenceTypes } from '../events/occurrence.ts'

/** Seconds between two readings. */
function parseInterval(text: string): number {
  const seconds = Number(text)
  if (!(seconds >= 0.2 && seconds <= 3600)) throw new RangeError(`"${text}" must be a number of seconds from 0.2 to 3600`)
  return seconds
}

const topFlags = {
  sortBy: {
    kind: 'enum',
    values: ['name', 'cpu', 'memory', 'network', 'disk'],
    default: 'name',
    brief: 'Sort by name, or by what is used, with the largest first',
  },
  headers: { kind: 'boolean', default: true, brief: 'Print a line with the names of the columns' },
  watch: { kind: 'boolean', default: false, brief: 'Print it again and again, until Ctrl-C' },
  interval: { kind: 'parsed', parse: parseInterval, default: '1', brief: 'Seconds over which rates are measured', placeholder: 's' },
  output,
  ...clusterFlags,
} as const

const vm = buildCommand({
  loader: async () => (await import('../commands/observe/top.ts')).topVms,
  parameters: {
    positional: {
      kind: 'array',
      parameter: { parse: (text: string): string => text, brief: 'Name of a VM, also as vm/NAME (default: all)', placeholder: 'vm' },
    },
    flags: { ...topFlags, namespace, allNamespaces, selector },
    aliases: { n: 'namespace', A: 'allNamespaces', l: 'selector', o: 'output', w: 'watch' },
  },
  docs: {
    brief: 'Show what guests use: processors, memory, network and disks',
    fullDescription: `Show what guests use. CPU and MEMORY are those of the node: processors that QEMU has used, and memory that it has in use. RX and TX are what the guest has received and sent, READ and WRITE what it has read from and written to its disks. Rates are measured over --interval.

The node agents are asked, through the API server. It takes the right to get virtualmachineinstances/usage of subresources.kubevirt.io, which the roles view, edit and admin have; no other server has to be installed.`,
  },
})

const node = buildCommand({
  loader: async () => (await import('../commands/observe/top.ts')).topNodes,
  parameters: {
    positional: {
      kind: 'array',
      parameter: { parse: (text: string): string => text, brief: 'Name of a node (default: all)', placeholder: 'node' },
    },
    flags: topFlags,
    aliases: { o: 'output', w: 'watch' },
  },
  docs: { brief: 'Show what the guests on each node use, and the share of what the node has for pods' },
})

/** `steadyvm top`. */
export const topRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { vm, node },
  aliases: { vms: 'vm', nodes: 'node' },
  defaultCommand: 'vm',
  docs: { brief: 'Show what guests use, by VM or by node' },
})

/** Types of `--types`, in any case. */
function parseType(text: string): (typeof occurrenceTypes)[number] {
  const found = occurrenceTypes.find((type) => type.toLowerCase() === text.trim().toLowerCase())
  if (found === undefined) throw new RangeError(`"${text}" is none of ${occurrenceTypes.join(', ')}`)
  return found
}

/** `steadyvm events`. */
export const eventsCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import('../commands/observe/events.ts')).events,
  parameters: {
    flags: {
      for: {
        kind: 'parsed',
        parse: (text: string): string => text,
        optional: true,
        brief: 'Only of a VM with its guest and migrations (vm/NAME), a migration (vmim/NAME), kubevirt/NAME or hco/NAME',
        placeholder: 'object',
      },
      types: {
        kind: 'parsed',
        parse: parseType,
        variadic: ',',
        optional: true,
        brief: 'Only of these types: Normal, Warning, Condition',
        placeholder: 'types',
        proposeCompletions: (partial: string) => occurrenceTypes.filter((type) => type.startsWith(partial)),
      },
      watch: { kind: 'boolean', default: false, brief: 'Go on with what occurs from now on, until Ctrl-C' },
      namespace,
      allNamespaces,
      output,
      ...clusterFlags,
    },
    aliases: { w: 'watch', n: 'namespace', A: 'allNamespaces', o: 'output' },
  },
  docs: {
    brief: 'Show what happens to VMs, guests, migrations and the installation: events and changes of conditions, in one order',
    fullDescription: `Show the events of VMs, VMIs, migrations, KubeVirt and HyperConverged objects, and the changes of their conditions, oldest first. Of a condition, only its last change is stored; with --watch, each change is shown.

  steadyvm events --for vm/web --watch
  steadyvm events -A --types Warning
  steadyvm events -n kubevirt --watch -o json`,
  },
})
