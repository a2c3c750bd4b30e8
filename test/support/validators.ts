/** Before the tests: the validators that a build would have made of the shipped contract. */
import { writeShippedValidators } from '../../src/contract/compile-shipped.ts';

export default writeShippedValidators;
