import { buildCommand, buildRouteMap, type Command, type RouteMap } from '@stricli/core'
import { allNamespaces, clusterFlags, namespace, output, selector } from './cluster-flags.ts'
import type { CliContext } from '../context.ts'

const files = { kind: 'parsed', parse: String, variadic: true, placeholder: 'file' } as const

/** `steadyvm plan`. */
export const planCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import('../commands/vm/plan.ts')).plan,
  parameters: {
    flags: {
      file: { ...files, optional: true, brief: 'File or folder with changed objects, or -' },
      switch: {
        kind: 'parsed',
        parse: String,
        variadic: true,
        optional: true,
        brief: 'Give a VM another instance type or preference: VM=[KIND/]NAME',
        placeholder: 'vm=name',
      },
      refresh: {
        kind: 'parsed',
        parse: String,
        variadic: true,
        optional: true,
        brief: 'Let a VM take the newest generation of what it names',
        placeholder: 'vm',
      },
      namespace,
      allNamespaces,
      selector,
      output,
      ...clusterFlags,
    },
    aliases: { f: 'file', n: 'namespace', A: 'allNamespaces', l: 'selector', o: 'output' },
  },
  docs: { brief: 'Predict the effect of changes on VMs, and write nothing (exit code 2 when a VM changes)' },
})

const vmTarget = { parse: String, brief: 'Name of the VM, also as vm/NAME or NAMESPACE/NAME', placeholder: 'vm' } as const
const whyTarget = { ...vmTarget, brief: `${vmTarget.brief}; or hco, for the values that components have from HyperConverged` } as const

/** `steadyvm why`. */
export const whyCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import('../commands/vm/why.ts')).why,
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        whyTarget,
        {
          parse: String,
          optional: true,
          brief:
            'Only this value and what is below it: domain.cpu; hardware: what the guest sees in the end, since when, and what its next start changes',
          placeholder: 'path',
          proposeCompletions: (partial) => ['hardware', 'domain', 'domain.cpu', 'domain.memory'].filter((path) => path.startsWith(partial)),
        },
      ],
    },
    flags: { namespace, output, ...clusterFlags },
    aliases: { n: 'namespace', o: 'output' },
  },
  docs: { brief: 'Explain the source of each value of a VM: the VM, its instance type, its preference or a default; or of each component' },
})

/** `steadyvm expand`. */
export const expandCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import('../commands/vm/expand.ts')).expand,
  parameters: {
    positional: { kind: 'tuple', parameters: [{ ...vmTarget, optional: true }] },
    flags: {
      vm: { kind: 'parsed', parse: String, optional: true, brief: 'The same as the argument', placeholder: 'name' },
      file: { kind: 'parsed', parse: String, optional: true, brief: 'A file with a VM, or -', placeholder: 'file' },
      namespace,
      output: { kind: 'enum', values: ['yaml', 'json'], default: 'yaml', brief: 'How to print: yaml or json' },
      ...clusterFlags,
    },
    aliases: { f: 'file', n: 'namespace', o: 'output' },
  },
  docs: { brief: 'Print a VM with the values of its instance type and preference inlined' },
})

/** `steadyvm import`. */
export const importCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import('../commands/system/import.ts')).importExport,
  parameters: {
    flags: {
      file: { ...files, brief: 'File or folder with the output of kubectl get -o yaml, or -' },
      keepRunStrategy: { kind: 'boolean', default: false, brief: 'Start VMs that ran; otherwise all are halted' },
      dryRun: {
        kind: 'boolean',
        default: false,
        brief: 'Say what would be imported, and write nothing (exit code 2 if there is something)',
      },
      output,
      ...clusterFlags,
    },
    aliases: { f: 'file', o: 'output' },
  },
  docs: { brief: 'Take over the VMs of a namespace of KubeVirt, with their instance types, revisions and snapshots' },
})

/** `steadyvm impact`. */
export const impactCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import('../commands/vm/impact.ts')).impact,
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        {
          parse: String,
          brief: 'Instance type, preference or VM, as KIND/NAME (vmcf/u1.small, vm/web), or as NAME where only one has it',
          placeholder: 'kind/name',
        },
      ],
    },
    flags: { namespace, output, ...clusterFlags },
    aliases: { n: 'namespace', o: 'output' },
  },
  docs: { brief: 'List the VMs, ControllerRevisions, snapshots and migration policies that use an object' },
})

const dryRun = { kind: 'boolean', default: false, brief: 'Validate the change on the server without making it' } as const

const refresh = buildCommand({
  loader: async () => (await import('../commands/vm/rollout.ts')).refresh,
  parameters: {
    positional: { kind: 'tuple', parameters: [vmTarget] },
    flags: { dryRun, namespace, output, ...clusterFlags },
    aliases: { n: 'namespace', o: 'output' },
  },
  docs: { brief: 'Move a VM to the newest generation of its instance type and preference' },
})

const undo = buildCommand({
  loader: async () => (await import('../commands/vm/rollout.ts')).undo,
  parameters: {
    positional: { kind: 'tuple', parameters: [vmTarget] },
    flags: {
      to: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Number or name of the revision (default: the one before)',
        placeholder: 'revision',
      },
      family: {
        kind: 'enum',
        values: ['instancetype', 'preference'],
        optional: true,
        brief: 'What to take back: instancetype or preference',
      },
      dryRun,
      namespace,
      output,
      ...clusterFlags,
    },
    aliases: { n: 'namespace', o: 'output' },
  },
  docs: { brief: 'Pin a VM to an earlier revision until it is refreshed' },
})

const history = buildCommand({
  loader: async () => (await import('../commands/vm/history.ts')).history,
  parameters: {
    positional: { kind: 'tuple', parameters: [vmTarget] },
    flags: { namespace, output, ...clusterFlags },
    aliases: { n: 'namespace', o: 'output' },
  },
  docs: { brief: 'List the instance type and preference revisions that a VM has used' },
})

/** `steadyvm rollout`. */
export const rolloutRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { refresh, history, undo },
  docs: { brief: 'Refresh the instance type and preference of a VM, show their history, or roll back' },
})
