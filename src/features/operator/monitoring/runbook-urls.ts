/** Pages of this repository. */
const defaultRunbooks = 'docs/runbooks/%s.md'

/**
 * Returns the function from alerts to the URLs of their pages. Pure.
 * @throws RangeError: the template must have one `%s`, where the name of the alert goes
 */
export function runbookUrls(template: string = defaultRunbooks): (alert: string) => string {
  const parts = template.split('%s')
  if (parts.length !== 2) throw new RangeError(`RUNBOOK_URL_TEMPLATE must have "%s" once: it is "${template}"`)
  return (alert) => parts.join(alert)
}
