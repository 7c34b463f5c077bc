import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod } from '#api/core/v1/pod.ts'

/** Targets with the same labels, in the format of Prometheus' file-based discovery. */
export interface TargetGroup {
  readonly targets: readonly string[]
  readonly labels: Readonly<Record<string, string>>
}

/** Name of the port of a container that serves metrics, by which KubeVirt's Service finds it. */
const metricsPort = 'metrics'

/** Lists where pods serve metrics, sorted. Pods that have ended serve none. Pure. */
export function scrapeTargetsOf(pods: readonly Pod[]): readonly TargetGroup[] {
  return pods
    .filter(({ status }) => (status?.podIP ?? '') !== '' && !isPodTerminal({ status }))
    .flatMap(({ metadata: { namespace = '', name = '' }, spec, status }) =>
      spec.containers.flatMap((container) =>
        (container.ports ?? [])
          .filter((port) => port.name === metricsPort)
          .map(({ containerPort }) => ({
            targets: [`${status?.podIP ?? ''}:${containerPort}`],
            labels: { namespace, pod: name, container: container.name },
          })),
      ),
    )
    .toSorted((a, b) => ((a.labels['pod'] ?? '') < (b.labels['pod'] ?? '') ? -1 : 1))
}
