import type { KubeVirt, LogVerbosity } from '#api/kubevirt/v1/kubevirt.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import type { ProcessLog } from '#runtime/process/log.ts'
import { chooseKubeVirt } from '../choose-kubevirt.ts'

/** A process of a component. */
export interface LoggingComponent {
  readonly component: 'virtOperator' | 'virtAPI' | 'virtController' | 'virtHandler'
  /** Node of a node agent. */
  readonly node?: string
}

/** Verbosity that the KubeVirt object sets for a process; undefined when it sets none. Pure. */
export function verbosityOf(kubevirt: KubeVirt | undefined, { component, node = '' }: LoggingComponent): number | undefined {
  const settings: LogVerbosity = kubevirt?.spec?.configuration?.developerConfiguration?.logVerbosity ?? {}
  // KubeVirt treats 0 as unset.
  return settings.nodeVerbosity?.[node] || settings[component] || undefined
}

/** Lets the verbosity of a log follow the KubeVirt object. */
export function followLogVerbosity(kubevirts: Informer<KubeVirt>, log: ProcessLog, process: LoggingComponent): Disposable {
  let last: number | undefined
  return kubevirts.onEvent(() => {
    const verbosity = verbosityOf(chooseKubeVirt(kubevirts.list()), process)
    if (verbosity === last) return
    last = verbosity
    log.setVerbosity(verbosity)
    log.info({ verbosity: verbosity ?? 'default' }, 'The verbosity of the log has changed')
  })
}
