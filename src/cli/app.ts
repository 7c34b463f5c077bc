import { buildApplication, buildCommand, buildRouteMap, numberParser, text_en, type Application, type ApplicationText } from '@stricli/core'
import { consoleCommand, portForwardCommand, sshCommand, vncCommand } from './routes/guest-access.ts'
import { clusterFlags, dataDir, workloadImage } from './routes/cluster-flags.ts'
import { backupCommand, restoreCommand } from './routes/backup.ts'
import { expandCommand, impactCommand, importCommand, planCommand, rolloutRoutes, whyCommand } from './routes/cluster.ts'
import type { CliContext } from './context.ts'
import { CommandError, EXIT } from './context.ts'
import { diskImageRoutes } from './routes/disk-image.ts'
import { graphCommand } from './routes/graph.ts'
import { imageRoutes } from './routes/image.ts'
import { eventsCommand, topRoutes } from './routes/observe.ts'
import { packageRoutes } from './routes/package.ts'
import { pipelineRoutes, taskRoutes } from './routes/pipeline.ts'
import { releaseRoutes } from './routes/release.ts'
import { revisionsRoutes } from './routes/revision.ts'
import { uninstallCommand } from './routes/uninstall.ts'
import { upgradeRoutes } from './routes/upgrade.ts'
import { vmRoutes } from './routes/vm-create.ts'
import { migrateCommand, restartCommand, startCommand, stopCommand } from './routes/vm-lifecycle.ts'

const timeout = { kind: 'parsed', parse: numberParser, default: '60', brief: 'Seconds to wait', placeholder: 's' } as const
const outputFormat = {
  kind: 'enum',
  values: ['text', 'json'],
  default: 'text',
  brief: 'How to print: text or json',
} as const

const up = buildCommand({
  loader: async () => (await import('./commands/machine/up.ts')).up,
  parameters: {
    flags: {
      dataDir,
      nodes: {
        kind: 'parsed',
        parse: numberParser,
        optional: true,
        brief: 'Number of logical nodes (default: 1, or as many as there are)',
        placeholder: 'n',
      },
      port: {
        kind: 'parsed',
        parse: numberParser,
        optional: true,
        brief: 'Port of the API server; the components use the next ones (default: a free one from 7443 on)',
        placeholder: 'port',
      },
      accelerator: { kind: 'enum', values: ['auto', 'kvm', 'tcg'], default: 'auto', brief: 'What runs guests: auto, kvm or tcg' },
      foreground: {
        kind: 'boolean',
        default: false,
        brief: 'Stay in the foreground, and stop everything on Ctrl-C',
      },
      renewCertificates: {
        kind: 'boolean',
        default: false,
        brief: 'Replace all certificates of this machine, and the authorities that signed them; nothing restarts',
      },
      platform: {
        kind: 'enum',
        values: ['hyperconverged', 'kubevirt'],
        optional: true,
        brief:
          'What is installed: HyperConverged, which configures KubeVirt and other components, or KubeVirt alone. Default: what the cluster has; HyperConverged for a new one',
      },
      monitoring: {
        kind: 'boolean',
        optional: true,
        brief:
          'Run Prometheus with the rules of this release, on the loopback address; --no-monitoring ends it. Default: as before; none for a new cluster',
      },
      wait: { kind: 'enum', values: ['api', 'all'], default: 'all', brief: 'Return when the API (api) or every component (all) is ready' },
      timeout,
    },
  },
  docs: { brief: 'Start the control plane on this machine; components that run are left alone' },
})

const down = buildCommand({
  loader: async () => (await import('./commands/machine/down.ts')).down,
  parameters: {
    flags: {
      dataDir,
      timeout: { kind: 'parsed', parse: numberParser, default: '20', brief: 'Seconds that guests get to power off', placeholder: 's' },
    },
  },
  docs: { brief: 'Power the guests off and end every process; the data stays' },
})

const install = buildCommand({
  loader: async () => (await import('./commands/system/install.ts')).install,
  parameters: {
    flags: {
      registry: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Registry that has the images of the components',
        placeholder: 'registry',
      },
      kubeletRoot: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Folder of the kubelets (--root-dir), such as /var/lib/k0s/kubelet; default: /var/lib/kubelet',
        placeholder: 'dir',
      },
      workloadImage,
      part: {
        kind: 'enum',
        values: ['all', 'operator', 'kubevirt', 'hyperconverged', 'hyperconverged-operator', 'hyperconverged-object', 'dashboards'],
        default: 'all',
        brief:
          'all, operator (everything but the KubeVirt object), kubevirt (only that: kubectl does not know its kind before), hyperconverged (the operator of HyperConverged and its object), one of its two parts, or dashboards (ConfigMaps for the Grafana of a cluster)',
      },
      output: { kind: 'enum', values: ['yaml', 'json'], default: 'yaml', brief: 'How to print: yaml or json' },
    },
    aliases: { o: 'output' },
  },
  docs: {
    brief: 'Print the manifests for a Kubernetes cluster: steadyvm install --part operator | kubectl apply --server-side -f -',
    fullDescription: `Print the manifests for a Kubernetes cluster. Talks to no cluster itself. In two steps, since kubectl does not know the kind of the second before the first is there:

  steadyvm install --part operator | kubectl apply --server-side -f -
  kubectl wait crd/kubevirts.kubevirt.io --for=condition=Established
  steadyvm install --part kubevirt | kubectl apply --server-side -f -

The operator then installs everything else; "steadyvm upgrade status --watch" shows how far it is. To configure all components from one object:

  steadyvm install --part hyperconverged-operator | kubectl apply --server-side -f -
  kubectl wait crd/hyperconvergeds.hco.kubevirt.io --for=condition=Established
  steadyvm install --part hyperconverged-object | kubectl apply --server-side -f -`,
  },
})

const status = buildCommand({
  loader: async () => (await import('./commands/machine/status.ts')).status,
  parameters: { flags: { dataDir, output: outputFormat }, aliases: { o: 'output' } },
  docs: { brief: 'Show what runs: components, nodes and guests' },
})

const kubeconfig = buildCommand({
  loader: async () => (await import('./commands/machine/kubeconfig.ts')).kubeconfig,
  parameters: { flags: { dataDir, raw: { kind: 'boolean', default: false, brief: 'Print the content instead of the path' } } },
  docs: { brief: 'Print the path of the kubeconfig: export KUBECONFIG=$(steadyvm kubeconfig)' },
})

const doctor = buildCommand({
  loader: async () => (await import('./commands/system/doctor.ts')).doctor,
  parameters: { flags: { dataDir, output: outputFormat, ...clusterFlags }, aliases: { o: 'output' } },
  docs: {
    brief: 'Check what works on this machine: KVM or emulation, QEMU, ports, space; with --context or --kubeconfig: a cluster',
    fullDescription: `Check what works on this machine: KVM or emulation, QEMU, firmware, ports, space.

With --context or --kubeconfig, check a cluster before or after the installation: version, rights, nodes, container runtime, folder of the kubelets, KVM, image volumes, storage, network, and what is installed. Changes nothing. Ends with exit code 2 when a requirement is not met.`,
  },
})

const walk = buildCommand({
  loader: async () => (await import('./commands/machine/walk.ts')).walk,
  // An emulated guest boots in 2 s, and in a minute on a busy machine.
  parameters: { flags: { dataDir, timeout: { ...timeout, default: '240' } } },
  docs: { brief: 'Walk through the product with real objects: what "npm start" runs' },
})

const completion = buildCommand({
  loader: async () => (await import('./commands/completion.ts')).completion,
  parameters: { positional: { kind: 'tuple', parameters: [{ parse: String, brief: 'bash, zsh or fish', placeholder: 'shell' }] } },
  docs: { brief: 'Print the completion script of a shell: source <(steadyvm completion bash)' },
})

/** Prints expected errors on one line, and any other error, which is a defect, with its stack. */
const text: ApplicationText = {
  ...text_en,
  exceptionWhileParsingArguments: (exception, isColoured) =>
    `error: ${text_en.exceptionWhileParsingArguments(exception, isColoured)} (the same command with --help says what it takes)`,
  exceptionWhileRunningCommand: (exception) => describeFailure(exception),
}

function describeFailure(exception: unknown): string {
  if (!(exception instanceof Error)) return `error: ${String(exception)}`
  // A system error (ENOSPC, EACCES) is not a defect: its message names the call and the path.
  if ('syscall' in exception)
    return `error: ${exception.message}${'code' in exception && exception.code === 'ENOSPC' ? ': free some space' : ''}`
  return exception.name === 'Error' || exception.name === 'TypeError' || exception.name === 'RangeError'
    ? `error: ${exception.stack ?? exception.message}`
    : `error: ${exception.message}`
}

/** Creates the command table. `version` is printed by `--version`. */
export function createApplication(version: string): Application<CliContext> {
  const root = buildRouteMap({
    routes: {
      up,
      down,
      install,
      uninstall: uninstallCommand,
      status,
      start: startCommand,
      stop: stopCommand,
      restart: restartCommand,
      migrate: migrateCommand,
      plan: planCommand,
      why: whyCommand,
      expand: expandCommand,
      impact: impactCommand,
      import: importCommand,
      rollout: rolloutRoutes,
      revisions: revisionsRoutes,
      release: releaseRoutes,
      vm: vmRoutes,
      images: diskImageRoutes,
      image: imageRoutes,
      package: packageRoutes,
      graph: graphCommand,
      task: taskRoutes,
      pipeline: pipelineRoutes,
      upgrade: upgradeRoutes,
      top: topRoutes,
      events: eventsCommand,
      kubeconfig,
      doctor,
      backup: backupCommand,
      restore: restoreCommand,
      console: consoleCommand,
      vnc: vncCommand,
      ssh: sshCommand,
      portForward: portForwardCommand,
      walk,
      completion,
    },
    docs: { brief: 'A control plane for virtual machines that keeps every guest steady while everything under it changes' },
  })
  return buildApplication<CliContext>(root, {
    name: 'steadyvm',
    versionInfo: { currentVersion: version },
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
    documentation: { caseStyle: 'convert-camel-to-kebab', useAliasInUsageLine: true },
    localization: { loadText: () => text },
    determineExitCode: (error) => (error instanceof CommandError ? error.exitCode : EXIT.error),
  })
}
