import type { Interface } from '#api/kubevirt/v1/domain/interface.ts'
import type { Network } from '#api/kubevirt/v1/network.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Labels } from '#runtime/metrics/series.ts'

/**
 * Returns the labels of each network card of a guest whose network is named, in KubeVirt's words.
 * Pure.
 */
export function cardsOf(spec: Partial<VirtualMachineInstanceSpec> | undefined): Labels[] {
  const networks = new Map((spec?.networks ?? []).map((network) => [network.name, networkLabel(network)]))
  return (spec?.domain?.devices?.interfaces ?? []).flatMap((card) => {
    const network = networks.get(card.name)
    if (network === undefined) return []
    const [type, name] = bindingOf(card)
    return [{ vnic_name: card.name, binding_type: type, network, binding_name: name, model: card.model || '<none>' }]
  })
}

function networkLabel({ pod, multus }: Network): string | undefined {
  return pod == null ? multus?.networkName : 'pod networking'
}

function bindingOf({ masquerade, bridge, sriov, binding }: Interface): readonly [type: string, name: string] {
  if (masquerade != null) return ['core', 'masquerade']
  if (bridge != null) return ['core', 'bridge']
  if (sriov != null) return ['core', 'sriov']
  return binding == null ? ['', ''] : ['plugin', binding.name]
}
