/** Digits of a text, without dashes and spaces. */
function digitsOf(text: string): string {
  return text.replaceAll(/[\s-]/g, '')
}

function weightedSum(digits: string, weight: (index: number) => number): number {
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) sum += weight(index) * (digits[index] === 'X' ? 10 : Number(digits[index]))
  return sum
}

/** Reports whether a text is an ISBN of ten digits, the last of which may be X. */
export function isIsbn10(text: string): boolean {
  const digits = digitsOf(text)
  return /^\d{9}[\dX]$/.test(digits) && weightedSum(digits, (index) => index + 1) % 11 === 0
}

/** Reports whether a text is an ISBN of thirteen digits. */
export function isIsbn13(text: string): boolean {
  const digits = digitsOf(text)
  return /^\d{13}$/.test(digits) && weightedSum(digits, (index) => (index % 2 === 0 ? 1 : 3)) % 10 === 0
}

const cards =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|(222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11}|6[27]\d{14})$/

/** Reports whether a text is a credit card number, by issuer format and check digit. */
export function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '')
  if (!cards.test(digits)) return false
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index])
    const doubled = index % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
