/**
 * Takes over the VMs of a namespace of KubeVirt, from what `kubectl get -o yaml` printed there:
 * VMs, instance types, preferences, their ControllerRevisions, and snapshots. `readExport` sorts
 * the objects, `planImport` compares them with the cluster, and `applyImport` creates them.
 *
 * UIDs are new in another cluster: references to them are rewritten. Each guest keeps its hardware:
 * its VM names the revision that it was captured in, and has its firmware UUID in its spec.
 */
export { applyImport, type ImportProgress } from './apply.ts'
export { planImport, type ImportPlan, type ImportStep } from './plan.ts'
export { describe, readExport, type Export, type ImportOptions } from './read-export.ts'
