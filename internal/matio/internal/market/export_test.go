package market

// Number is number, for tests.
var Number = number
