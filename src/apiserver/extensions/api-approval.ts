/** Annotation with the approval of a definition in a *.k8s.io group. */
export const approvalAnnotation = 'api-approved.kubernetes.io'

/** Approval state of a definition in a protected group. */
export interface Approval {
  readonly state: 'approved' | 'bypassed' | 'invalid' | 'missing'
  readonly message: string
}

const proposal = 'see https://github.com/kubernetes/enhancements/pull/1111'

/** Reports whether a group requires the approval of the Kubernetes community. */
export function isProtectedGroup(group: string): boolean {
  return group === 'k8s.io' || group === 'kubernetes.io' || group.endsWith('.k8s.io') || group.endsWith('.kubernetes.io')
}

/** Parses the approval annotation. */
export function approvalOf(annotations: Readonly<Record<string, string>> | undefined): Approval {
  const text = annotations?.[approvalAnnotation] ?? ''
  const needed = `protected groups must have approval annotation ${JSON.stringify(approvalAnnotation)}`
  if (text === '') return { state: 'missing', message: `${needed}, ${proposal}` }
  if (text.startsWith('unapproved')) return { state: 'bypassed', message: `not approved: ${JSON.stringify(text)}` }
  if (URL.canParse(text) && new URL(text).host !== '') return { state: 'approved', message: `approved in ${text}` }
  return { state: 'invalid', message: `${needed} with either a URL or a reason starting with "unapproved", ${proposal}` }
}
