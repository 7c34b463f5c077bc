import type { ConversionWebhookClientConfig, CustomResourceConversion } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { forbiddenValue, invalidValue, requiredValue, unsupportedValue } from '#apimachinery/field-messages.ts'
import { validateName } from '#apimachinery/names.ts'
import { validateServiceReference } from '#apiserver/services/validate-service-reference.ts'
import { commonReviewVersion } from '../conversion/conversion-review.ts'

const urlForm = 'desired format: https://host[/path]'

/**
 * Validates `spec.conversion`. Field paths are those of the internal version, as in kube-apiserver.
 */
export function validateConversion(conversion: CustomResourceConversion | undefined, field: string): FieldError[] {
  if (conversion === undefined) return []
  const { strategy, webhook } = conversion
  if (strategy !== 'None' && strategy !== 'Webhook') return [unsupportedValue(`${field}.strategy`, strategy, ['None', 'Webhook'])]
  if (strategy === 'None') {
    const why = 'should not be set when strategy is not set to Webhook'
    return [
      ...(webhook?.clientConfig === undefined ? [] : [forbiddenValue(`${field}.webhookClientConfig`, why)]),
      ...((webhook?.conversionReviewVersions ?? []).length === 0 ? [] : [forbiddenValue(`${field}.conversionReviewVersions`, why)]),
    ]
  }
  return [
    ...validateClientConfig(webhook?.clientConfig, `${field}.webhookClientConfig`),
    ...validateReviewVersions(webhook?.conversionReviewVersions ?? [], `${field}.conversionReviewVersions`),
  ]
}

function validateClientConfig(config: ConversionWebhookClientConfig | undefined, field: string): FieldError[] {
  if (config === undefined) return [requiredValue(field, 'required when strategy is set to Webhook')]
  const { url, service, caBundle } = config
  if ((url === undefined) === (service === undefined)) return [requiredValue(field, 'exactly one of url or service is required')]
  return [
    ...(url === undefined ? [] : validateUrl(url, `${field}.url`)),
    ...(service === undefined ? [] : validateServiceReference(service, `${field}.service`)),
    ...(caBundle === undefined || caBundle === '' || hasCertificate(caBundle)
      ? []
      : [
          invalidValue(
            `${field}.caBundle`,
            caBundle,
            'unable to load root certificates: unable to parse bytes as PEM block: data does not contain any valid RSA or ECDSA certificates',
          ),
        ]),
  ]
}

function hasCertificate(bundle: string): boolean {
  return Buffer.from(bundle, 'base64').toString('latin1').includes('-----BEGIN CERTIFICATE-----')
}

function validateUrl(text: string, field: string): FieldError[] {
  if (!URL.canParse(text)) return [requiredValue(field, `url must be a valid URL: ${JSON.stringify(text)}; ${urlForm}`)]
  const url = new URL(text)
  const rules: [boolean, unknown, string][] = [
    [url.protocol !== 'https:', url.protocol.slice(0, -1), `'https' is the only allowed URL scheme; ${urlForm}`],
    [url.hostname === '', url.hostname, `host must be specified; ${urlForm}`],
    [url.username !== '' || url.password !== '', url.username, 'user information is not permitted in the URL'],
    [url.hash !== '', url.hash.slice(1), 'fragments are not permitted in the URL'],
    [url.search !== '', url.search.slice(1), 'query parameters are not permitted in the URL'],
  ]
  return rules.filter(([broken]) => broken).map(([, value, why]) => invalidValue(field, value, why))
}

function validateReviewVersions(versions: readonly string[], field: string): FieldError[] {
  if (versions.length === 0) return [requiredValue(field)]
  const each = versions.flatMap((version, index) =>
    versions.indexOf(version) < index
      ? [invalidValue(`${field}[${index}]`, version, 'duplicate version')]
      : validateName(version, 'dns-1035-label').map((why) => invalidValue(`${field}[${index}]`, version, why)),
  )
  if (commonReviewVersion(versions) !== undefined) return each
  return [...each, invalidValue(field, versions, 'must include at least one of v1, v1beta1')]
}
