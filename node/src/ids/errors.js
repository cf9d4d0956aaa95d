/** What is thrown for a value that is no ID. It has the code of the server's error, so one handler can treat both. */
export class InvalidIdError extends RangeError {
  /**
   * @param {string} type
   * @param {unknown} value
   */
  constructor(type, value) {
    super(`invalid input syntax for type ${type}: ${JSON.stringify(String(value))}`);
    this.name = 'InvalidIdError';
    this.code = '22P02';
  }
}
