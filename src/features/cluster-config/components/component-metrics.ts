import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { chooseKubeVirt } from '../choose-kubevirt.ts'
import { toClusterConfig } from '../to-cluster-config.ts'

type Flag = { readonly name: string; readonly help: string }

const readiness = {
  'virt-api': {
    name: 'kubevirt_virt_api_ready_status',
    help: 'Indication for a virt-api server that is ready to serve requests.',
  },
  'virt-controller': {
    name: 'kubevirt_virt_controller_ready_status',
    help: 'Indication for a virt-controller that is ready to take the lead.',
  },
  'virt-handler': {
    name: 'kubevirt_virt_handler_ready_status',
    help: 'Indication for a virt-handler that is ready to serve requests.',
  },
  'virt-operator': {
    name: 'kubevirt_virt_operator_ready_status',
    help: 'Indication for a virt-operator that is ready to take the lead.',
  },
} as const

const leadership = {
  'virt-controller': { name: 'kubevirt_virt_controller_leading_status', help: 'Indication for an operating virt-controller.' },
  'virt-operator': { name: 'kubevirt_virt_operator_leading_status', help: 'Indication for an operating virt-operator.' },
} as const

/** Defines KubeVirt's metric of a component that is ready. Read at each scrape. */
export function defineReadiness(metrics: Pick<Metrics, 'gaugeFrom'>, component: keyof typeof readiness, isReady: () => boolean): void {
  defineFlag(metrics, readiness[component], isReady)
}

/** Defines KubeVirt's metric of the one of several replicas that leads. Read at each scrape. */
export function defineLeadership(metrics: Pick<Metrics, 'gaugeFrom'>, component: keyof typeof leadership, isLeader: () => boolean): void {
  defineFlag(metrics, leadership[component], isLeader)
}

/**
 * Defines KubeVirt's metric of the version of a component. Its programs run on Node, and not on Go.
 */
export function defineVersion(
  metrics: Pick<Metrics, 'gaugeFrom'>,
  { version, runtime }: { readonly version: string; readonly runtime: string },
): void {
  metrics.gaugeFrom({ name: 'kubevirt_info', help: 'Version information.', labels: ['goversion', 'kubeversion'] }, () => [
    [{ goversion: runtime, kubeversion: version }, 1],
  ])
}

/** Defines KubeVirt's metric of whether guests may be emulated. Only the leader reports it. */
export function defineEmulation(
  metrics: Pick<Metrics, 'gaugeFrom'>,
  kubevirts: Pick<Lister<KubeVirt>, 'list'>,
  isLeader: () => boolean,
): void {
  metrics.gaugeFrom(
    {
      name: 'kubevirt_configuration_emulation_enabled',
      help: 'Indicates whether the Software Emulation is enabled in the configuration.',
    },
    () => (isLeader() ? [[{}, toClusterConfig(chooseKubeVirt(kubevirts.list())).useEmulation ? 1 : 0]] : []),
  )
}

function defineFlag(metrics: Pick<Metrics, 'gaugeFrom'>, flag: Flag, isSet: () => boolean): void {
  metrics.gaugeFrom(flag, () => [[{}, isSet() ? 1 : 0]])
}
