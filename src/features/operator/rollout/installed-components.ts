import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { Service } from '#api/core/v1/service.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { componentNames, exportProxyService, metricsService } from '../manifests/install-strategy.ts'

/** Workloads and service of the components, as they are stored. */
export interface InstalledComponents {
  readonly agent: DaemonSet | undefined
  readonly controller: Deployment | undefined
  readonly api: Deployment | undefined
  readonly service: Service | undefined
  readonly exportService: Service | undefined
  readonly metricsService: Service | undefined
}

/** Caches with the components' objects. */
export interface ComponentListers {
  readonly daemonSets: Lister<DaemonSet>
  readonly deployments: Lister<Deployment>
  readonly services: Lister<Service>
  readonly namespace: string
}

/** Reads the objects that every install strategy has from the caches. */
export function findComponents({ daemonSets, deployments, services, namespace }: ComponentListers): InstalledComponents {
  return {
    agent: daemonSets.get(namespace, componentNames.agent),
    controller: deployments.get(namespace, componentNames.controller),
    api: deployments.get(namespace, componentNames.api),
    service: services.get(namespace, componentNames.api),
    exportService: services.get(namespace, exportProxyService),
    metricsService: services.get(namespace, metricsService),
  }
}
