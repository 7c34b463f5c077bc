import { hyperConvergedKey, operatorName } from '../names.ts'

/** A recording rule or an alert of a PrometheusRule. */
export type Rule =
  | { readonly record: string; readonly expr: string; readonly labels?: Readonly<Record<string, string>> }
  | {
      readonly alert: string
      readonly expr: string
      /** Time for which the expression must hold. Default none. */
      readonly for?: string
      readonly labels: Readonly<Record<string, string>>
      readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string }
    }

/** Spec of a PrometheusRule. */
export interface PrometheusRuleSpec {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[]
}

/** Urgency of an alert, and what it means for the operator. */
interface Weight {
  readonly severity: 'critical' | 'warning' | 'info'
  readonly impact: 'critical' | 'warning' | 'none'
}

/** An update of a component that takes longer than this stands still. */
const longestUpdateSeconds = 3_600

const overwrites = 'kubevirt_hco_out_of_band_modifications_total'
const health = 'max(kubevirt_hco_system_health_status)'
const healthRecord = 'cluster:kubevirt_hco_operator_health_status:count'

/** Firing alerts about KubeVirt with an impact. */
function firing(impact: 'critical' | 'warning'): string {
  return `ALERTS{alertstate="firing",kubernetes_operator_part_of="kubevirt",operator_health_impact="${impact}"}`
}

const recordingRules: readonly Rule[] = [
  {
    record: healthRecord,
    expr: `max(kubevirt_hco_system_health_status or 2 * ${firing('critical')} or ${firing('warning')} or vector(0))`,
    labels: { name: hyperConvergedKey.name },
  },
  // The former name of the same rule, for dashboards that use it.
  { record: 'kubevirt_hyperconverged_operator_health_status', expr: healthRecord },
]

/**
 * Returns the rules of the HyperConverged operator. `runbookUrl`: URL of the page of an alert.
 * Those of components belong to the components. Pure.
 */
export function hyperConvergedRuleSpec(runbookUrl: (alert: string) => string): PrometheusRuleSpec {
  const alert = (
    name: string,
    { severity, impact }: Weight,
    rule: { readonly expr: string; readonly for?: string; readonly summary: string; readonly description: string },
  ): Rule => {
    const { summary, description, ...condition } = rule
    return {
      alert: name,
      ...condition,
      labels: {
        severity,
        operator_health_impact: impact,
        kubernetes_operator_part_of: 'kubevirt',
        kubernetes_operator_component: 'hyperconverged-cluster-operator',
      },
      annotations: { summary, description, runbook_url: runbookUrl(name) },
    }
  }
  const alerts = [
    alert(
      'HCOInstallationIncomplete',
      { severity: 'info', impact: 'critical' },
      {
        expr: 'max(kubevirt_hco_hyperconverged_cr_exists) == 0',
        for: '1h',
        summary: 'The HyperConverged operator has run for an hour without a HyperConverged object.',
        description: 'It configures no component until the object is created.',
      },
    ),
    alert(
      'HCOOperatorConditionsUnhealthy',
      { severity: 'critical', impact: 'critical' },
      {
        expr: `${health} == 2`,
        for: '10m',
        summary: 'A component of the platform has not been available, or has been degraded, for 10 minutes.',
        description: 'The conditions Available and Degraded of the HyperConverged object name the component and the reason.',
      },
    ),
    alert(
      'HCOOperatorConditionsUnhealthy',
      { severity: 'warning', impact: 'warning' },
      {
        // A component that is updated to another version reports progress, for as long as it takes.
        expr: `${health} == 1 unless on () max(steadyvm_hco_component_update_seconds) < ${longestUpdateSeconds}`,
        for: '10m',
        summary: 'A component of the platform has not become ready for 10 minutes, and is not being updated.',
        description: 'The condition Progressing of the HyperConverged object names the component and the reason.',
      },
    ),
    alert(
      'KubeVirtCRModified',
      { severity: 'warning', impact: 'warning' },
      {
        // The first count of a series is no increase: it is told by its age.
        expr: `sum by (component_name) (round(increase(${overwrites}[10m])) > 0 or (${overwrites} > 0 unless ${overwrites} offset 10m))`,
        summary: '{{ $labels.component_name }} was changed by others, and the change was reverted.',
        description: 'HyperConverged configures this object. {{ $value }} changes were reverted in the last 10 minutes.',
      },
    ),
    alert(
      'UnsupportedHCOModification',
      { severity: 'info', impact: 'none' },
      {
        expr: 'max by (annotation_name, namespace) (kubevirt_hco_unsafe_modifications) > 0',
        summary: 'The annotation {{ $labels.annotation_name }} has a JSON patch for the object of a component.',
        description: 'JSON patches are not covered by tests or upgrades. This one has {{ $value }} operations.',
      },
    ),
    alert(
      'HCOMisconfiguredDescheduler',
      { severity: 'critical', impact: 'critical' },
      {
        expr: 'max(kubevirt_hco_misconfigured_descheduler) == 1',
        summary: 'The descheduler has no profile for guests.',
        description: 'It evicts the pods of guests as those of other workloads, and may move them again and again.',
      },
    ),
    alert(
      'HCOMultiArchGoldenImagesDisabled',
      { severity: 'warning', impact: 'none' },
      {
        expr: 'max(kubevirt_hco_multi_arch_boot_images_enabled) == 0',
        summary: 'Nodes have several architectures, and boot images are imported for one of them.',
        description: 'New guests from these images cannot run on nodes of the other architectures.',
      },
    ),
    alert(
      'HCOGoldenImageWithNoArchitectureAnnotation',
      { severity: 'warning', impact: 'none' },
      {
        expr: imagesWithout('kubevirt_hco_dataimportcrontemplate_with_architecture_annotation'),
        summary: 'The boot image {{ $labels.data_import_cron_name }} does not name its architectures.',
        description: 'Guests from {{ $labels.managed_data_source_name }} may be started on nodes that cannot run them.',
      },
    ),
    alert(
      'HCOGoldenImageWithNoSupportedArchitecture',
      { severity: 'warning', impact: 'none' },
      {
        expr: imagesWithout('kubevirt_hco_dataimportcrontemplate_with_supported_architectures'),
        summary: 'No node has an architecture of the boot image {{ $labels.data_import_cron_name }}.',
        description: 'Guests from {{ $labels.managed_data_source_name }} cannot run on this cluster.',
      },
    ),
  ]
  return {
    groups: [
      { name: `${operatorName}.recording`, rules: recordingRules },
      { name: `${operatorName}.alerts`, rules: alerts },
    ],
  }
}

function imagesWithout(metric: string): string {
  return `max by (data_import_cron_name, managed_data_source_name) (${metric}) == 0`
}
